#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Stands between a Prometheus that always asks for OpenMetrics first and the exporter, and
asks for the text format instead. TLS on both sides; everything else goes through as it is.

text_relay.py CERT KEY PORT EXPORTER_PORT    (PORT 0: any; the port is printed)
"""
import http.client
import http.server
import ssl
import sys

FORWARDED = ("Authorization", "Accept-Encoding", "X-Prometheus-Scrape-Timeout-Seconds")
RETURNED = ("Content-Type", "Content-Encoding", "WWW-Authenticate")

cert, key, port, target = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
to_exporter = ssl.create_default_context(cafile=cert)


class Relay(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        headers = {name: self.headers[name] for name in FORWARDED if name in self.headers}
        headers["Accept"] = "text/plain;version=0.0.4"
        exporter = http.client.HTTPSConnection("127.0.0.1", target, context=to_exporter)
        exporter.request("GET", self.path, headers=headers)
        answer = exporter.getresponse()
        body = answer.read()
        exporter.close()
        self.send_response(answer.status)
        for name in RETURNED:
            if answer.headers[name]:
                self.send_header(name, answer.headers[name])
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Relay)
to_prometheus = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
to_prometheus.load_cert_chain(cert, key)
server.socket = to_prometheus.wrap_socket(server.socket, server_side=True)
print(server.server_address[1], flush=True)
server.serve_forever()
