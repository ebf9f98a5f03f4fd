//! Each function fails in its own way; the line that a case is about bears its name.
use std::fmt;

const MISSING: &str = "the thing has no name";

#[derive(Debug)]
enum ShopError {
    SoldOut { item: String },
    Locked(u32),
}

impl std::error::Error for ShopError {}

impl fmt::Display for ShopError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SoldOut { item } => write!(f, "{item} is sold out until monday"), // case: display
            Self::Locked(clerk) => write!(f, "the shelf is locked by clerk {}", clerk), // case: display of a tuple
        }
    }
}

fn price(item: &str, n: i32) -> Result<u32, String> {
    if item.is_empty() {
        return Err(MISSING.to_string()); // case: constant
    }
    if n < 0 {
        return Err(format!("cannot sell {n} pieces of {item:?}")); // case: formatted
    }
    Err("nobody knows the price".into()) // case: plain text
}

fn fail(error: impl fmt::Display) -> ! {
    eprintln!("Error: {error}");
    std::process::exit(1)
}

fn main() {
    let name = std::env::args().nth(1).unwrap_or_default();
    let numbers: Vec<u32> = Vec::new();
    match name.as_str() {
        "display" => fail(ShopError::SoldOut { item: "tea".into() }),
        "display of a tuple" => fail(ShopError::Locked(7)),
        "constant" => fail(price("", 1).unwrap_err()),
        "formatted" => fail(price("tea", -3).unwrap_err()),
        "plain text" => fail(price("tea", 3).unwrap_err()),
        "panic" => panic!("the till cannot hold {} coins", 101), // case: panic
        "expect" => {
            numbers.first().expect("there must be a first coin"); // case: expect
        }
        "expect of a result" => {
            "x".parse::<u32>().expect("the number of coins must be a number"); // case: expect of a result
        }
        "assert" => assert!(numbers.len() > 3, "too few coins: {}", numbers.len()), // case: assert
        "plain assert" => assert!(numbers.iter().sum::<u32>() > 40), // case: plain assert
        "assert_eq" => assert_eq!(numbers.len(), 4, "the coins were counted wrongly"), // case: assert_eq
        "unreachable" => unreachable!("nobody pays with {name}"), // case: unreachable
        "todo" => todo!("count the notes as well"), // case: todo
        "printed" => {
            eprintln!("the bill of table {} cannot be printed", 4); // case: printed
            std::process::exit(3);
        }
        _ => {}
    }
}
