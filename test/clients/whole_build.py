"""Does a whole build with the client that openapi-python-client has made of our document.

whole_build.py <address of the API> <name> <version> <file of the source package>...
"""

import json
import os
import sys
import time
from urllib.parse import unquote, urlparse
from uuid import uuid4

from airline_client import Client
from airline_client.api.build import get_build_by_id, post_build_source
from airline_client.api.sourcepackage import post_sourcepackage
from airline_client.api.spu import post_spu
from airline_client.api.store import get_store_by_key, put_store_by_key
from airline_client.api.subticket import post_subticket
from airline_client.api.subticketartifact import get_subticketartifact
from airline_client.api.ticket import post_ticket
from airline_client.models import BuildRequest, SourcepackageCreation, SpuCreation
from airline_client.models import SubticketCreation, TicketCreation
from airline_client.types import File

address, name, version, *files = sys.argv[1:]
client = Client(base_url=address, raise_on_unexpected_status=True)
folder = f"uploads/{uuid4()}"


def store(path):
    with open(path, "rb") as content:
        key = f"{folder}/{os.path.basename(path)}"
        return put_store_by_key.sync(key, client=client, body=File(payload=content)).url


ticket = post_ticket.sync(
    client=client, body=TicketCreation(owner="ann@example.com", title="A new version")
)
package = post_sourcepackage.sync(client=client, body=SourcepackageCreation(name=name))
upload = post_spu.sync(
    client=client, body=SpuCreation(sourcepackage=package.resource_uri, version=version)
)
subticket = post_subticket.sync(
    client=client,
    body=SubticketCreation(source_package_upload=upload.resource_uri, ticket=ticket.resource_uri),
)
build = post_build_source.sync(
    client=client,
    body=BuildRequest(
        ticket_id=ticket.id,
        source_packages=[store(path) for path in files],
        series="bookworm",
        ppa="ppa:airline/test",
        archive="debian",
        progress_trigger=f"python-{uuid4()}",
    ),
)
while build.finished_at is None:
    time.sleep(0.2)
    build = get_build_by_id.sync(build.id, client=client)
log = unquote(urlparse(build.logs[0]).path).removeprefix("/store/")
artifacts = get_subticketartifact.sync(client=client, subticket=subticket.id)
answer = {
    "state": build.state,
    "built": [package.name for package in build.built_packages],
    "log": get_store_by_key.sync(log, client=client),
    "artifacts": [artifact.type_ for artifact in artifacts.objects],
}
print(json.dumps(answer))
