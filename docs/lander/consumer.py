"""Follows a build of Airline to its end: python3 consumer.py <AMQP URL> <progress_trigger>"""

import json
import sys
import time

import pika


def follow(url, queue):
    """Yields each message once, in order, until one has `exit`."""
    last_seq = {}  # by build: after a lost connection, messages come again
    while True:
        try:
            with pika.BlockingConnection(pika.URLParameters(url)) as connection:
                channel = connection.channel()
                channel.basic_qos(prefetch_count=1)
                # Airline makes the queue: of one made here, it would not know what is lost.
                for method, _properties, body in channel.consume(queue):
                    message = json.loads(body)
                    build, seq = message["build_id"], message["seq"]
                    last = last_seq.get(build, 0)
                    if 0 < last < seq - 1:
                        print(f"Lost: GET /api/v1/build/{build}/events/?after={last}", file=sys.stderr)
                    if seq > last:
                        yield message
                        last_seq[build] = seq
                    channel.basic_ack(method.delivery_tag)
                    if "exit" in message:
                        return
        except pika.exceptions.AMQPError as error:
            print(f"No broker, or no queue yet: {error!r}", file=sys.stderr)
            time.sleep(5)


for message in follow(sys.argv[1], sys.argv[2]):
    print(message["seq"], message["state"], message["phase"], flush=True)

if message["state"] == "FAILED":
    sys.exit(f"{message['failure']['message']}. {message['failure']['hint']}")
for package in message["packages"]:
    print(package["name"], package["version"], package["url"])
