/** Prints DB_PASSWORD and waits. */
public class PrintsSecret {
    public static void main(String[] arguments) throws InterruptedException {
        System.out.println("has " + System.getenv("DB_PASSWORD"));
        System.out.flush();
        Thread.sleep(Long.MAX_VALUE);
    }
}
