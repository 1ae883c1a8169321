# The only way out of the network namespace: what connects to port 3142 of its loopback is passed on to a Unix socket, whose
# other end decides what may be fetched. It is in the background once it listens.
# Usage: python3 forward.py SOCKET
import fcntl, os, socket, struct, sys, threading, time

SIOCSIFFLAGS, IFF_UP = 0x8914, 1
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as interface:
    fcntl.ioctl(interface, SIOCSIFFLAGS, struct.pack('16sH14x', b'lo', IFF_UP))
listener = socket.create_server(('127.0.0.1', 3142))
if os.fork():
    os._exit(0)


def pump(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def serve(client):
    with client:
        try:
            with socket.socket(socket.AF_UNIX) as server:
                server.connect(sys.argv[1])
                back = threading.Thread(target=pump, args=(server, client), daemon=True)
                back.start()
                pump(client, server)
                back.join()
        except (OSError, RuntimeError):
            # Its connection is closed.
            pass


# One connection too many must not end the way out for all that come later: files and threads are free again soon.
while True:
    try:
        client, _ = listener.accept()
    except OSError:
        time.sleep(0.1)
        continue
    try:
        threading.Thread(target=serve, args=(client,), daemon=True).start()
    except RuntimeError:
        client.close()
