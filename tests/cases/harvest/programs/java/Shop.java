// Each method fails in its own way; the line that a case is about bears its name.
import java.util.*;

public class Shop {
    private static final String PREFIX = "shop: ";

    static class SoldOutException extends RuntimeException {
        SoldOutException(String item, int left) {
            super(item + " is sold out, " + left + " left");
        }
    }

    static int price(String item, int n) {
        if (item.isEmpty()) {
            throw new IllegalArgumentException(PREFIX + "the thing has no name"); // case: constant prefix
        }
        if (n < 0) {
            throw new IllegalArgumentException(String.format("cannot sell %d pieces of %s", n, item)); // case: formatted
        }
        throw new IllegalStateException(n > 9 ? "too many pieces for one bag" : "too few pieces for a bag"); // case: conditional
    }

    static void read(String text) {
        try {
            Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new RuntimeException("the bill cannot be read", e); // case: with a cause
        }
    }

    static void leave(int code) {
        System.err.println("shop closes early: code " + code); // case: printed on exit
        System.exit(code);
    }

    static void lambda() {
        Runnable task = () -> {
            throw new UnsupportedOperationException("nobody may run the till"); // case: lambda
        };
        task.run();
    }

    public static void main(String[] args) {
        switch (args[0]) {
            case "constant prefix" -> price("", 1);
            case "formatted" -> price("tea", -3);
            case "conditional" -> price("tea", 12);
            case "class of its own" -> throw new SoldOutException("tea", 0); // case: class of its own
            case "with a cause" -> read("x");
            case "printed on exit" -> leave(3);
            case "lambda" -> lambda();
            case "not null" -> Objects.requireNonNull(args.length > 9 ? args : null, "the basket must be there"); // case: not null
            // What follows fails in the code of Java's own library.
            case "java: load factor" -> new HashMap<>(3, -1f);
            case "java: capacity" -> new ArrayList<>(-3);
            case "java: scanner closed" -> { Scanner s = new Scanner("a"); s.close(); s.next(); }
            case "java: number" -> Integer.parseInt("12a");
            case "java: radix" -> Integer.parseInt("1", 99);
            case "java: uuid" -> UUID.fromString("x");
            case "java: base64" -> Base64.getDecoder().decode("!");
            case "java: port" -> new java.net.InetSocketAddress("localhost", 99999);
            case "java: url" -> url();
            case "java: date" -> java.time.LocalDate.of(2026, 13, 1);
            case "java: date text" -> java.time.LocalDate.parse("soon");
            case "java: duration" -> java.time.Duration.parse("soon");
            case "java: enum" -> Thread.State.valueOf("ASLEEP");
            case "java: optional" -> Optional.empty().get();
            case "java: repeat" -> "x".repeat(-1);
            case "java: pattern" -> java.util.regex.Pattern.compile("a)");
            case "java: stream twice" -> { var s = List.of(1).stream(); s.count(); s.count(); }
            case "java: buffer" -> java.nio.ByteBuffer.allocate(-1);
            case "java: sublist" -> new ArrayList<>(List.of(1, 2)).subList(2, 1);
            case "java: code point" -> Character.toChars(-1);
            default -> { }
        }
    }

    static void url() {
        try {
            new java.net.URL("nope://x");
        } catch (java.net.MalformedURLException e) {
            throw new RuntimeException(e);
        }
    }
}
