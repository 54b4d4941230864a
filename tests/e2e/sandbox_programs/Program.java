// What programs in Java do: pools, parallel streams, garbage, files, mappings, selectors, children.
import java.nio.file.*;
import java.nio.channels.*;
import java.util.concurrent.*;
import java.util.stream.*;

public class Program {
    public static void main(String[] words) throws Exception {
        var pool = Executors.newFixedThreadPool(4);
        var found = pool.submit(() -> LongStream.range(0, 1_000_000).parallel().sum()).get();
        pool.shutdown();
        byte[][] kept = new byte[64][];
        for (int n = 0; n < 500; n++) kept[n % 64] = new byte[1 << 20];
        System.gc();
        Path file = Path.of("java.txt");
        Files.write(file, new byte[1 << 16]);
        Files.copy(file, Path.of("java.copy"));
        Files.move(Path.of("java.copy"), Path.of("java.moved"), StandardCopyOption.ATOMIC_MOVE);
        try (var from = FileChannel.open(file); var to = FileChannel.open(Path.of("java.to"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            from.transferTo(0, from.size(), to);
            from.map(FileChannel.MapMode.READ_ONLY, 0, from.size()).get();
        }
        var pipe = Pipe.open();
        try (var selector = Selector.open(); var sink = pipe.sink(); var source = pipe.source()) {
            sink.write(java.nio.ByteBuffer.wrap(new byte[3]));
            source.configureBlocking(false);
            source.register(selector, SelectionKey.OP_READ);
            if (selector.select() != 1) throw new Error("lost");
        }
        var child = new ProcessBuilder("/bin/echo", "child").start();
        if (found != 499_999_500_000L) throw new Error("lost");
        System.out.println("played " + new String(child.getInputStream().readAllBytes()).trim());
    }
}
