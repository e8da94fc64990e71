import org.junit.Before;
import org.junit.Test;

public class OrdersTest {
  @Before public void signIn() { throw new IllegalStateException("cannot sign in: the user is locked"); }
  @Test public void shown() { }
}
