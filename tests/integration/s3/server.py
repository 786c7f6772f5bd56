#!/usr/bin/python3
# SPDX-License-Identifier: BSL-1.0
"""server.py DIRECTORY: an S3 server for tests: OpenStack Swift with its S3 API, in one process.

It verifies signatures, also of presigned URLs, and lists, completes and aborts multipart uploads.
A page of a listing has at most 10 keys, so that tests of pages need few.
Everything listens on free ports of 127.0.0.1. Objects are kept in memory, the rest in DIRECTORY. When
all is ready, DIRECTORY/port holds the port. The credentials are test:tester and testing.
"""
import eventlet

eventlet.monkey_patch()

import os
import sys
from socket import IPPROTO_TCP, TCP_NODELAY

import eventlet.wsgi
from swift.common import utils
from swift.common.ring import RingBuilder
from swift.common.wsgi import SwiftHttpProtocol, loadapp

PROXY = """
[DEFAULT]
swift_dir = {directory}
log_level = CRITICAL
[pipeline:main]
pipeline = catch_errors listing_formats s3api tempauth slo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:s3api]
use = egg:swift#s3api
max_bucket_listing = 10
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin
[filter:slo]
use = egg:swift#slo
"""
STORAGE = """
[DEFAULT]
swift_dir = {directory}
devices = {directory}
mount_check = false
fallocate_reserve = 0
log_level = CRITICAL
[app:main]
use = egg:swift#{app}
"""


class Silence:
    """Discards the output of the servers."""

    def write(self, text):
        pass


class Forgetful:
    """Replaces memcached, which tempauth requires, and stores nothing."""

    def get(self, key, **options):
        return None

    def set(self, key, value, **options):
        pass

    def delete(self, key, **options):
        pass


def with_cache(app):
    def call(environ, start_response):
        environ["swift.cache"] = Forgetful()
        return app(environ, start_response)

    return call


def load(directory, name, text):
    path = os.path.join(directory, name + ".conf")
    with open(path, "w") as file:
        file.write(text.format(directory=directory, app="mem_object" if name == "object" else name))
    return loadapp(path)


def write_ring(directory, name, port):
    builder = RingBuilder(part_power=1, replicas=1, min_part_hours=0)
    builder.add_dev({"id": 0, "region": 0, "zone": 0, "weight": 1, "ip": "127.0.0.1",
                     "port": port, "device": "device"})
    builder.rebalance()
    builder.get_ring().save(os.path.join(directory, name + ".ring.gz"))


def main(directory):
    os.makedirs(os.path.join(directory, "device"))
    utils.HASH_PATH_SUFFIX = b"test"
    sockets = {name: eventlet.listen(("127.0.0.1", 0))
               for name in ("account", "container", "object", "proxy")}
    for name in ("account", "container", "object"):
        write_ring(directory, name, sockets[name].getsockname()[1])
    for name, socket in sockets.items():
        socket.setsockopt(IPPROTO_TCP, TCP_NODELAY, 1)  # accepted connections inherit it
        app = load(directory, name, PROXY if name == "proxy" else STORAGE)
        eventlet.spawn(eventlet.wsgi.server, socket, with_cache(app), Silence(), protocol=SwiftHttpProtocol)
    port = os.path.join(directory, "port")
    with open(port + ".new", "w") as file:
        file.write(str(sockets["proxy"].getsockname()[1]))
    os.rename(port + ".new", port)
    eventlet.Event().wait()


main(sys.argv[1])
