# What a shell and its programs do: children, jobs, pipes, files, a time limit.
set -e
echo text > file
cp -p file copy
mv copy moved
mkdir -p a/b
rm -r a
ls -l | sort | head -n 1 > first
test -s file
timeout 5 sleep 0.01
sleep 0.01 &
wait
echo played "$(echo child)"
