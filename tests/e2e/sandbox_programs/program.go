// What programs in Go do: goroutines, memory, files, sockets, signals, children.
package main

import ("fmt"; "io"; "net"; "os"; "os/exec"; "os/signal"; "runtime"; "sync"; "time")

func main() {
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	var group sync.WaitGroup
	for n := 0; n < 50; n++ {
		group.Add(1)
		go func() { defer group.Done(); kept := make([]byte, 1<<20); kept[7] = 1; time.Sleep(time.Millisecond); runtime.Gosched() }()
	}
	group.Wait()
	runtime.GC()
	must(os.WriteFile("go.txt", make([]byte, 1<<16), 0o644))
	from, err := os.Open("go.txt"); must(err)
	to, err := os.Create("go.copy"); must(err)
	_, err = io.Copy(to, from); must(err)
	must(os.Rename("go.copy", "go.moved"))
	listener, err := net.Listen("unix", "go.sock"); must(err)
	go func() { c, err := listener.Accept(); must(err); from.Seek(0, 0); _, err = io.Copy(c, from); must(err); c.Close() }()
	c, err := net.Dial("unix", "go.sock"); must(err)
	got, err := io.ReadAll(c); must(err)
	out, err := exec.Command("/bin/echo", "child").Output(); must(err)
	if len(got) != 1<<16 { panic(len(got)) }
	fmt.Print("played ", string(out))
}
func must(err error) { if err != nil { panic(err) } }
