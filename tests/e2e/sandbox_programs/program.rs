// What programs in Rust do: threads, channels, files, folders, sockets, children.
use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::{collections::HashMap, fs, process::Command, sync::mpsc, thread, time::Duration};
fn main() {
    let (tell, hear) = mpsc::channel();
    for n in 0..4u64 { let tell = tell.clone(); thread::spawn(move || { thread::sleep(Duration::from_millis(1)); tell.send(n).unwrap() }); }
    drop(tell);
    let table: HashMap<u64, u64> = hear.iter().map(|n| (n, n)).collect();
    fs::write("rust.txt", vec![0u8; 1 << 16]).unwrap();
    fs::copy("rust.txt", "rust.copy").unwrap();
    fs::create_dir_all("rust/deep").unwrap();
    fs::remove_dir_all("rust").unwrap();
    let listener = UnixListener::bind("rust.sock").unwrap();
    let other = thread::spawn(move || { let (mut c, _) = listener.accept().unwrap(); std::io::copy(&mut fs::File::open("rust.txt").unwrap(), &mut c).unwrap(); c.flush().unwrap(); });
    let mut got = Vec::new();
    UnixStream::connect("rust.sock").unwrap().read_to_end(&mut got).unwrap();
    other.join().unwrap();
    let out = Command::new("/bin/echo").arg("child").output().unwrap();
    assert_eq!((table.len(), got.len()), (4, 1 << 16));
    print!("played {}", String::from_utf8(out.stdout).unwrap());
}
