//! Each case fails in its own way. Written down before anything was known of how they match, and
//! all of them kept. The line that a case is about bears its name.
use std::error::Error;
use std::fmt;
use std::io::{self, ErrorKind, Write};

const TEXTS: [&str; 3] = [
    "all is well at the market",
    "the table has only three legs", // case: array of texts
    "the table has no plate",
];

macro_rules! bail {
    ($($words:tt)*) => {
        return Err(format!($($words)*).into())
    };
}

macro_rules! leave {
    ($($words:tt)*) => {{
        eprintln!("market: {}", format_args!($($words)*));
        std::process::exit(3)
    }};
}

#[derive(Debug)]
struct StallError {
    stall: u32,
    source: Option<io::Error>,
}

impl fmt::Display for StallError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("stall ")?;
        write!(f, "{} was given to somebody else", self.stall) // case: written in two steps
    }
}

impl Error for StallError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_ref().map(|e| e as _)
    }
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Rain,
    Fire,
}

impl Kind {
    fn text(self) -> &'static str {
        match self {
            Kind::Rain => "the market is closed for rain", // case: text of a kind
            Kind::Fire => "the market is closed for fire",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl Error for Kind {}

struct Weight(u32);

impl TryFrom<u32> for Weight {
    type Error = String;

    fn try_from(grams: u32) -> Result<Self, String> {
        if grams > 1000 {
            Err(format!("the scales end at 1000 grams, not {}", grams)) // case: try from
        } else {
            Ok(Weight(grams))
        }
    }
}

fn bailed(n: u32) -> Result<(), Box<dyn Error>> {
    if n > 3 {
        bail!("only three baskets fit, {} do not", n); // case: macro that returns
    }
    Ok(())
}

fn mapped(text: &str) -> Result<u32, String> {
    text.parse().map_err(|e| format!("bad number of eggs {:?}: {}", text, e)) // case: mapped error
}

fn kind_of(name: &str) -> io::Result<u32> {
    match name {
        "apple" => Ok(1),
        other => Err(io::Error::new( // case: error of io
            ErrorKind::InvalidInput,
            format!("no goods are called {other}"),
        )),
    }
}

fn long_text(n: usize) -> Result<(), String> {
    Err(format!( // case: continued text
        "the stall has {} customers in the queue \
         and nobody to serve them",
        n
    ))
}

fn stop(error: impl fmt::Display) -> ! {
    eprintln!("Error: {error}");
    std::process::exit(1)
}

fn main() -> Result<(), Box<dyn Error>> {
    let name = std::env::args().nth(1).unwrap_or_default();
    let numbers: Vec<usize> = name.bytes().take(2).map(usize::from).collect();
    let basket: Option<u32> = name.strip_prefix("none such").map(|_| 3);
    match name.as_str() {
        "array of texts" => stop(TEXTS[1]),
        "written in two steps" => stop(StallError { stall: 4, source: None }),
        "text of a kind" => stop(if numbers.is_empty() { Kind::Fire } else { Kind::Rain }),
        "try from" => stop(Weight::try_from(2000).map(|w| w.0).unwrap_err()),
        "macro that returns" => stop(bailed(5).unwrap_err()),
        "macro that leaves" => leave!("stall {} is on fire", 9), // case: macro that leaves
        "mapped error" => stop(mapped("six").unwrap_err()),
        "error of io" => stop(kind_of("stone").unwrap_err()),
        "continued text" => stop(long_text(7).unwrap_err()),
        "ok or" => stop(basket.ok_or("the basket was never packed").unwrap_err()), // case: ok or
        "ok or else" => stop(basket.ok_or_else(|| format!("basket {} fell down", 3)).unwrap_err()), // case: ok or else
        "out of main" => return Err("nobody opened the gate".into()), // case: out of main
        "unwrap of text" => kind_of("plum").map_err(|e| format!("ask the farmer: {e}")).map(|_| ()).unwrap(), // case: unwrap of text
        "panic in a closure" => {
            basket.unwrap_or_else(|| panic!("the lid of basket {} is shut", 8)); // case: panic in a closure
        }
        "panic in a thread" => {
            let thread = std::thread::spawn(|| panic!("the carrier lost {} boxes", 2)); // case: panic in a thread
            thread.join().map_err(|_| "thread").unwrap_or_else(|_: &str| std::process::exit(9))
        }
        "expect of io" => {
            std::fs::read_to_string("/no/such/book").expect("the book of the market must be readable"); // case: expect of io
        }
        "expect of an error" => {
            kind_of("apple").expect_err("apples must not be sold in winter"); // case: expect of an error
        }
        "assert_ne" => assert_ne!(numbers.len(), 2, "two scales must not show the same"), // case: assert_ne
        "debug_assert" => debug_assert!(numbers.len() > 4, "only {} scales were checked", numbers.len()), // case: debug_assert
        "unimplemented" => unimplemented!("selling {} by weight", name), // case: unimplemented
        "unreachable arm" => match numbers.len() {
            2 => unreachable!("a stall cannot have two roofs"), // case: unreachable arm
            _ => {}
        },
        "written to stderr" => {
            writeln!(io::stderr(), "the printer of stall {} is out of paper", 3)?; // case: written to stderr
            std::process::exit(2);
        }
        "concat" => panic!(concat!("the gate of the market ", "is locked")), // case: concat
        "named arguments" => panic!("{who} owes {sum:.2} coins", who = "Kim", sum = 1.5), // case: named arguments
        // What follows has only words of Rust's own library, whose source is not at hand.
        "nothing: unwrap" => {
            basket.unwrap();
        }
        "nothing: index" => println!("{}", numbers[numbers.len() + 3]),
        "nothing: division" => println!("{}", 1 / (numbers.len() - 2)),
        "nothing: borrow" => {
            let cell = std::cell::RefCell::new(1);
            let _one = cell.borrow_mut();
            let _two = cell.borrow_mut();
        }
        "nothing: slice" => println!("{:?}", &numbers[1..7]),
        "nothing: character" => println!("{}", &"äöü"[..1]),
        "nothing: parse" => println!("{}", "x".parse::<u32>().unwrap()),
        "nothing: overflow" => println!("{}", u8::try_from(300 + numbers.len()).unwrap()),
        _ => {}
    }
    Ok(())
}
