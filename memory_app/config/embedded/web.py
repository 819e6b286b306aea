"""The web process: uvicorn on the socket that the supervisor opened."""

import os
import socket
import sys

import uvicorn


def main(descriptor: int) -> None:
    config = uvicorn.Config(
        "memory_app.config.asgi:application",
        log_config=None,
        log_level=os.environ.get("LOG_LEVEL", "warning").lower(),
        timeout_graceful_shutdown=10,
        server_header=False,
        proxy_headers=False,
        # Pages have nothing to say on their sockets.
        ws_max_size=4096,
    )
    uvicorn.Server(config).run(sockets=[socket.socket(fileno=descriptor)])


if __name__ == "__main__":
    main(int(sys.argv[1]))
