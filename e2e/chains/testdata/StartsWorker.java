import java.util.List;

/** Starts the program that its arguments name, and exits as that does. */
class StartsWorker {
    public static void main(String[] words) throws Exception {
        System.exit(new ProcessBuilder(List.of(words)).inheritIO().start().waitFor());
    }
}
