#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# python-zstandard 0.20.0 decompresses a file that pzstd 1.5.4 wrote to nothing, without an error.
#
# pzstd is part of zstd and writes ordinary .zst files, so a good guess is that each binding of the
# library reads them. But pzstd first writes a skippable frame, which holds the size of the next
# frame. decompress() reads only the first frame, and a skippable frame has no content.
# frame_content_size(), with which callers allocate the result, returns 0 rather than -1 for
# unknown.
#
# Output seen:
#   zstd -d: 588895 bytes
#   decompress(): 0 bytes
#   decompressobj().decompress(): 0 bytes
#   frame_content_size(): 0 bytes
#   stream_reader(): 588895 bytes
set -eu
script=$(realpath "$0")
world=$(mktemp -d)
trap 'rm -rf "$world"' EXIT
cd "$world"
apt-get download -qq -o APT::Sandbox::User=root zstd=1.5.4+dfsg2-5+deb12u1 \
  python3-zstandard=0.20.0-3
for package in *.deb; do dpkg -x "$package" .; done

seq 100000 >numbers
usr/bin/pzstd -q -p 1 numbers
{
  echo "zstd -d: $(usr/bin/zstd -dc numbers.zst | wc -c) bytes"
  PYTHONPATH=usr/lib/python3/dist-packages /usr/bin/python3 -c '
import zstandard
data = open("numbers.zst", "rb").read()
decompressor = zstandard.ZstdDecompressor()
stream = decompressor.stream_reader(data, read_across_frames=True)
print("decompress():", len(decompressor.decompress(data)), "bytes")
print("decompressobj().decompress():", len(decompressor.decompressobj().decompress(data)), "bytes")
print("frame_content_size():", zstandard.frame_content_size(data), "bytes")
print("stream_reader():", len(stream.read()), "bytes")'
} >found
sed -n 's/^#   //p' "$script" | diff - found >&2
cat found
