// Each case fails in its own way. Written down before anything was known of how they match, and
// all of them kept. The line that a case is about bears its name.
import java.io.*;
import java.math.*;
import java.net.*;
import java.net.http.*;
import java.nio.ByteBuffer;
import java.nio.file.*;
import java.text.MessageFormat;
import java.time.*;
import java.time.format.DateTimeFormatter;
import java.util.*;
import java.util.concurrent.*;
import java.util.logging.*;
import java.util.regex.Pattern;
import java.util.stream.*;

public class Market {
    static class OrderException extends Exception {
        OrderException(String format, Object... values) {
            super(String.format(format, values));
        }

        OrderException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    enum Problem {
        NO_STALL("the stall was given away"), // case: enum of messages
        RAIN("the market is closed for rain");

        final String text;

        Problem(String text) {
            this.text = text;
        }
    }

    static class MarketException extends RuntimeException {
        MarketException(Problem problem) {
            super(problem.text);
        }
    }

    interface Texts {
        String WEIGHT = "the scales show ";
    }

    interface Returnable {
        default void giveBack() {
            throw new UnsupportedOperationException(getClass().getSimpleName() + " cannot be given back"); // case: default method
        }
    }

    static class Cheese implements Returnable { }

    record Price(int euros, int cents) {
        Price {
            if (cents < 0 || cents > 99) {
                throw new IllegalArgumentException("cents must lie between 0 and 99, got " + cents); // case: record
            }
        }
    }

    static class Broken {
        static final int SIZE = size();

        static int size() {
            throw new IllegalStateException("nobody measured the stall"); // case: static initializer
        }
    }

    static class Till implements AutoCloseable {
        public void close() {
            throw new IllegalStateException("the drawer of the till is stuck"); // case: closing
        }
    }

    enum Kind { APPLE, PEAR }

    static void check(boolean holds, String message) {
        if (!holds) {
            throw new IllegalArgumentException(message);
        }
    }

    static void order(int number) throws OrderException {
        if (number < 0) {
            throw new OrderException("order %d was never placed by %s", number, "Kim"); // case: format in the class
        }
        try {
            Integer.parseInt("x" + number);
        } catch (NumberFormatException e) {
            throw new OrderException("order unreadable: " + e.getMessage(), e); // case: message of the cause
        }
    }

    static String kind(String name) {
        return switch (name) {
            case "apple" -> "fruit";
            default -> throw new IllegalArgumentException("Unknown kind of goods: " + name); // case: switch expression
        };
    }

    static void built(List<String> missing) {
        StringBuilder text = new StringBuilder("these goods are missing: ");
        for (String each : missing) {
            text.append(each).append(' ');
        }
        throw new IllegalStateException(text.toString()); // case: string builder
    }

    static void block(String who) {
        throw new SecurityException("""
            The stall of %s may not
            be opened today.""".formatted(who)); // case: text block
    }

    static void scales(double grams) {
        String message = Texts.WEIGHT
            + grams
            + " grams, which is too much";
        throw new ArithmeticException(message); // case: joined over lines
    }

    static void logged(String who) {
        Logger.getLogger("market").log(Level.SEVERE, "no change left for {0}", who); // case: logged
        System.exit(4);
    }

    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "enum of messages" -> throw new MarketException(Problem.NO_STALL);
            case "default method" -> new Cheese().giveBack();
            case "record" -> new Price(3, 120);
            case "static initializer" -> System.out.println(Broken.SIZE);
            case "closing" -> { try (Till till = new Till()) { System.out.println(till); } }
            case "checked by a method" -> check(args.length > 3, "too few words: " + args.length); // case: checked by a method
            case "format in the class" -> order(-1);
            case "message of the cause" -> order(1);
            case "switch expression" -> kind("stone");
            case "string builder" -> built(List.of("tea", "milk"));
            case "text block" -> block("Kim");
            case "joined over lines" -> scales(12.5);
            case "logged" -> logged("Kim");
            case "supplied message" -> Objects.requireNonNull(System.getenv("NO_SUCH"), () -> "the owner of stall " + args.length + " is unknown"); // case: supplied message
            case "supplied exception" -> Stream.of(1).filter(n -> n > 1).findAny().orElseThrow(() -> new NoSuchElementException("no order bears the number " + 7)); // case: supplied exception
            case "message format" -> throw new IllegalStateException(MessageFormat.format("stall {0} has {1} owners", 4, 2)); // case: message format
            case "assertion" -> throw new AssertionError("the sum of the day is wrong: " + args.length); // case: assertion
            case "in a pool" -> {
                ExecutorService pool = Executors.newSingleThreadExecutor();
                Future<?> future = pool.submit(() -> { throw new IllegalStateException("the carrier dropped the box"); }); // case: in a pool
                pool.shutdown();
                future.get();
            }
            case "in a completable future" -> CompletableFuture.supplyAsync(() -> {
                if (args.length > 0) {
                    throw new IllegalStateException("the courier never came to stall " + args.length); // case: in a completable future
                }
                return 1;
            }).join();
            case "stack printed" -> {
                try {
                    throw new IOException("the awning of stall " + 3 + " was torn"); // case: stack printed
                } catch (IOException e) {
                    e.printStackTrace();
                    System.exit(1);
                }
            }
            case "printed and left" -> {
                System.err.printf("market: stall %d is on fire%n", 9); // case: printed and left
                System.exit(9);
            }
            // What follows fails in the code of Java's own library.
            case "java: index" -> List.of(1, 2, 3).stream().collect(Collectors.toCollection(ArrayList::new)).get(5);
            case "java: map of" -> Map.of("a", 1, "a", 2);
            case "java: to map" -> Stream.of("a", "a").collect(Collectors.toMap(s -> s, s -> 1));
            case "java: substring" -> "abc".substring(5);
            case "java: empty number" -> Integer.parseInt("");
            case "java: null number" -> Long.parseLong(null);
            case "java: enum constant" -> Kind.valueOf("PLUM");
            case "java: format" -> String.format("%d", "x");
            case "java: format missing" -> String.format("%s %s", "x");
            case "java: format unknown" -> String.format("%q", "x");
            case "java: pattern letter" -> DateTimeFormatter.ofPattern("yyyy-bb");
            case "java: no such day" -> LocalDate.parse("2026-02-30");
            case "java: time zone" -> ZoneId.of("Mars/Base");
            case "java: no hour" -> LocalDate.of(2026, 1, 1).get(java.time.temporal.ChronoField.HOUR_OF_DAY);
            case "java: long overflow" -> Duration.ofSeconds(Long.MAX_VALUE).toMillis();
            case "java: int overflow" -> Math.toIntExact(1L << 40);
            case "java: character class" -> Pattern.compile("[a-");
            case "java: repetition" -> Pattern.compile("*a");
            case "java: uri" -> URI.create("http://a b");
            case "java: rejected" -> {
                ExecutorService pool = Executors.newSingleThreadExecutor();
                pool.shutdown();
                pool.submit(() -> 1);
            }
            case "java: sleep" -> Thread.sleep(-1);
            case "java: undefined scheme" -> HttpRequest.newBuilder(URI.create("x"));
            case "java: properties" -> new Properties().load(new StringReader("a=\\uzzzz"));
            case "java: bound" -> new Random().nextInt(0);
            case "java: copies" -> Collections.nCopies(-1, "x");
            case "java: queue full" -> { var queue = new ArrayBlockingQueue<Integer>(1); queue.add(1); queue.add(2); }
            case "java: decimal" -> new BigDecimal("1").divide(new BigDecimal("3"));
            case "java: big integer" -> new BigInteger("");
            case "java: instant" -> Instant.parse("yesterday");
            case "java: server port" -> new ServerSocket(70000);
            case "java: not a zip" -> {
                Path file = Files.writeString(Files.createTempFile("market", ".zip"), "no zip");
                file.toFile().deleteOnExit();
                new java.util.zip.ZipFile(file.toFile());
            }
            case "java: stream header" -> new ObjectInputStream(new ByteArrayInputStream(new byte[] {0, 1, 2, 3}));
            case "java: hex" -> HexFormat.of().parseHex("xyz");
            case "java: initial capacity" -> new HashMap<String, String>(-1);
            case "java: process" -> new ProcessBuilder("/no/such/program").start();
            case "java: host" -> HttpClient.newHttpClient().send(HttpRequest.newBuilder(URI.create("file:///x")).build(), HttpResponse.BodyHandlers.ofString());
            case "java: semaphore" -> new ThreadPoolExecutor(3, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
            case "java: not serializable" -> new ObjectOutputStream(new ByteArrayOutputStream()).writeObject(new Object());
            case "java: array list range" -> Arrays.copyOfRange(new int[3], 2, 1);
            case "java: compare" -> { TreeMap<Object, Integer> map = new TreeMap<>(); map.subMap(2, 1); }
            case "java: digits" -> Integer.parseInt("99999999999");
            // What follows is raised by the virtual machine, or has no words of its own.
            case "nothing: division" -> System.out.println(1 / (args.length - 1));
            case "nothing: array index" -> System.out.println(args[3]);
            case "nothing: null" -> System.out.println(System.getenv("NO_SUCH").length());
            case "nothing: cast" -> { Object text = "x"; System.out.println((Integer) text); }
            case "nothing: immutable list" -> List.of(1).add(2);
            case "nothing: next" -> List.of().iterator().next();
            case "nothing: missing file" -> Files.readString(Path.of("/no/such/file"));
            case "nothing: class" -> Class.forName("no.such.Thing");
            case "nothing: buffer" -> ByteBuffer.allocate(1).putInt(3);
            case "nothing: negative array" -> System.out.println(new int[args.length - 3].length);
            default -> { }
        }
    }
}
