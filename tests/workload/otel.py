#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Reads what the exporter says by OpenTelemetry's names, with a decoder of its own, and
writes it in Prometheus' text format, for metrics-check to judge.

otel.py receive PORT FILE   an OTLP/HTTP receiver. It answers 503 first, then 429 with
                            Retry-After, then takes everything; the last request that it
                            took is in FILE. What is not OTLP is answered with 400.
otel.py last FILE           the last whole array that --dry-run has written to FILE
"""
import gzip
import http.server
import json
import os
import struct
import sys

NAMES = {
    "lustre.client.access.operations": "lustre_client_access_operations_total",
    "lustre.client.data.bytes": "lustre_client_data_bytes_total",
    "lustre.client.operation.errors": "lustre_client_operation_errors_total",
    "lustre.client.fs.operations": "lustre_client_fs_operations_total",
    "lustre.client.fs.data.bytes": "lustre_client_fs_data_bytes_total",
    # of a histogram the sum of its buckets, whatever these are
    "lustre.client.access.duration": "explicit_observations_total",
    "lustre.client.access.duration exponential": "exponential_observations_total",
}
LABELS = {
    "lustre.fs.name": "fs",
    "lustre.mount.point": "mount",
    "lustre.access.intent": "access_intent",
    "lustre.access.op": "op",
    "user.id": "uid",
    "user.name": "username",
    "process.name": "process",
    "lustre.actor.type": "actor_type",
    "error.type": "errno_class",
}
CUMULATIVE = 2


def exposition(samples):
    """samples: (name, attributes, value)"""
    families = {}
    for name, attributes, value in samples:
        if name in NAMES:
            labels = ",".join('%s="%s"' % (LABELS[key], text.replace("\\", "\\\\")
                                           .replace("\n", "\\n").replace('"', '\\"'))
                              for key, text in attributes.items())
            families.setdefault(NAMES[name], []).append("{%s} %d" % (labels, value))
    for name, rows in families.items():
        yield "# TYPE %s counter\n" % name
        yield from (name + row + "\n" for row in rows)


def fields(message):
    """Of a protobuf message: number -> values, in their order."""
    found, at = {}, 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(message):
        tag = varint()
        if tag & 7 == 0:
            value = varint()
        elif tag & 7 == 1:
            value, at = message[at:at + 8], at + 8
        elif tag & 7 == 2:
            size = varint()
            value, at = message[at:at + size], at + size
            if len(value) < size:
                raise ValueError("cut off")
        else:
            raise ValueError("wire type %d" % (tag & 7))
        found.setdefault(tag >> 3, []).append(value)
    return found


def varints(packed):
    values, value, shift = [], 0, 0
    for byte in packed:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            values.append(value)
            value = shift = 0
    return values


def text_of(any_value):
    return fields(any_value)[1][0].decode() if any_value else ""


def attributes_of(point, number):
    pairs = (fields(pair) for pair in point.get(number, []))
    return {pair[1][0].decode(): text_of(pair.get(2, [b""])[0]) for pair in pairs}


def integer(point, number, form="<q"):
    return struct.unpack(form, point[number][0])[0] if number in point else 0


def check_temporality(data):
    if data.get(2, [0])[0] != CUMULATIVE:
        raise ValueError("not cumulative")


def metric_samples(metric):
    """Sums and histograms; gauges are not judged."""
    name = metric[1][0].decode()
    for data in map(fields, metric.get(7, [])):
        check_temporality(data)
        if data.get(3, [0])[0] != 1:
            raise ValueError("not monotonic")
        for point in map(fields, data[1]):
            if 6 in point:
                yield name, attributes_of(point, 7), integer(point, 6)
    for data in map(fields, metric.get(9, [])):
        check_temporality(data)
        for point in map(fields, data[1]):
            packed = point[6][0]
            buckets = struct.unpack("<%dQ" % (len(packed) // 8), packed)
            if sum(buckets) != integer(point, 4):
                raise ValueError("count is not the sum of the buckets")
            yield name, attributes_of(point, 9), sum(buckets)
    for data in map(fields, metric.get(10, [])):
        check_temporality(data)
        for point in map(fields, data[1]):
            buckets = varints(fields(point.get(8, [b""])[0]).get(2, [b""])[0])
            total = sum(buckets) + integer(point, 7)
            if total != integer(point, 4):
                raise ValueError("count is not the sum of the buckets")
            yield name + " exponential", attributes_of(point, 1), total


def request_samples(body):
    for resource in map(fields, fields(body)[1]):
        for scope in map(fields, resource[2]):
            for metric in map(fields, scope[2]):
                yield from metric_samples(metric)


def array_samples(array):
    for item in array:
        value = item["value"]
        if isinstance(value, dict):
            if sum(value["counts"]) != value["count"]:
                raise ValueError("count is not the sum of the buckets")
            value = value["count"]
        if item["name"] in NAMES:
            yield item["name"], item["attributes"], value


class Receiver(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    refusals = [(503, None), (429, "1")]

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        status, retry_after = Receiver.refusals.pop(0) if Receiver.refusals else (200, None)
        if status == 200:
            try:
                if self.path != "/v1/metrics" or \
                   self.headers["Content-Type"] != "application/x-protobuf":
                    raise ValueError("not OTLP over HTTP")
                if self.headers["Content-Encoding"] == "gzip":
                    body = gzip.decompress(body)
                self.keep("".join(exposition(request_samples(body))))
            except (ValueError, KeyError, IndexError, struct.error, OSError) as fault:
                print("refused:", fault, flush=True)
                status = 400
        print(status, flush=True)
        self.send_response(status)
        if retry_after:
            self.send_header("Retry-After", retry_after)
        self.send_header("Content-Length", "0")
        self.end_headers()

    @staticmethod
    def keep(text):
        with open(sys.argv[3] + ".new", "w") as out:
            out.write(text)
        os.rename(sys.argv[3] + ".new", sys.argv[3])

    def log_message(self, *args):
        pass


def last_array(text):
    decoder, at, last = json.JSONDecoder(), 0, None
    while at < len(text):
        try:
            last, end = decoder.raw_decode(text, at)
        except json.JSONDecodeError:
            break  # still being written
        at = end + 1
    return last


if sys.argv[1] == "receive":
    http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), Receiver).serve_forever()
with open(sys.argv[2]) as f:
    found = last_array(f.read())
if found is None:
    sys.exit("no array yet")
sys.stdout.writelines(exposition(array_samples(found)))
