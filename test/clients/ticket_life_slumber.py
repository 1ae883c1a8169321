"""The full life of a ticket through slumber, a client of Tastypie servers, as a transcript.

Usage: ticket_life_slumber.py BASE_URL [--no-slash]

BASE_URL: that of the server, such as http://127.0.0.1:8080. With --no-slash the addresses that are called end
without a slash, which a Tastypie server answers with a redirect.
"""

import json
import sys

import slumber
from slumber.exceptions import HttpClientError, HttpNotFoundError

from session import Session, expect

base_url = sys.argv[1]
session = Session(slumber=slumber)
print(f">>> api = slumber.API({base_url + '/api/v1/'!r}, append_slash={'--no-slash' not in sys.argv})\n")
session.names["api"] = slumber.API(base_url + "/api/v1/", append_slash="--no-slash" not in sys.argv)


def refused(line, expected_status, expected_body, error_type=HttpClientError):
    error = session.fails(line, error_type)
    print(f"{error.content.decode()}\n")
    expect(error.response.status_code, expected_status)
    body = json.loads(error.content) if error.content else None
    if expected_body is not None:
        expect(body, expected_body)
    return body


# A developer submits a source package: the CLI makes its ticket in several calls.
package = session.run('package = api.sourcepackage.post({"name": "hello"})')
expect(package, {"name": "hello", "resource_uri": f"/api/v1/sourcepackage/{package['id']}/"})
refused('api.sourcepackage.post({"name": "hello"})', 409, None)

upload = session.run('upload = api.spu.post({"sourcepackage": package["resource_uri"], "version": "2.10-3"})')
expect(upload, {"sourcepackage": package["resource_uri"], "version": "2.10-3"})

ticket = session.run(
    'ticket = api.ticket.post({"owner": "ann@example.com", "title": "Say hello to Debian",'
    ' "description": "A new upstream version", "bug_id": "1234567"})'
)
expect(ticket, {"owner": "ann@example.com", "bug_id": "1234567", "current_workflow_step": "100", "status": "100"})

subticket = session.run(
    'subticket = api.subticket.post({"source_package_upload": upload["resource_uri"],'
    ' "ticket": ticket["resource_uri"], "assignee": "ben@example.com"})'
)
expect(
    subticket,
    {
        "ticket": ticket["resource_uri"],
        "source_package_upload": upload["resource_uri"],
        "current_workflow_step": "100",
        "status": "100",
    },
)

source = session.run(
    'source = api.subticketartifact.post({"name": "hello_2.10-3_source.changes", "type": "SPU",'
    ' "subticket": subticket["resource_uri"], "reference": "https://store.example/hello_2.10-3_source.changes"})'
)
expect(source, {"subticket": subticket["resource_uri"], "type": "SPU"})
results = session.run(
    'results = api.ticketartifact.post({"name": "results", "type": "RESULTS",'
    ' "ticket": ticket["resource_uri"], "reference": "https://store.example/results.html"})'
)
expect(results, {"ticket": ticket["resource_uri"], "type": "RESULTS"})

# What cannot be done is refused with Tastypie's bodies.
body = refused('api.ticket.post({"title": "Nobody\'s"})', 400, None)
expect(list(body["ticket"]), ["owner"])
body = refused(
    'api.ticketartifact.post({"name": "x", "type": "POEM", "ticket": ticket["resource_uri"], "reference": "x"})', 400, None
)
expect(list(body["ticketartifact"]), ["type"])
refused(
    'api.spu.post({"sourcepackage": "/api/v1/sourcepackage/999999/", "version": "1"})',
    400,
    {"error": "Could not find the provided sourcepackage object via resource URI '/api/v1/sourcepackage/999999/'."},
)

# The lander moves it.
moved = session.run(
    'api.updatesubticketstatus(subticket["id"]).patch({"current_workflow_step": "200", "status": "200"})'
)
expect(moved, {"current_workflow_step": "200", "status": "200"})
expect(moved["resource_uri"], f"/api/v1/updatesubticketstatus/{subticket['id']}/")
moved = session.run(
    'api.updateticketstatus(ticket["id"]).patch({"current_workflow_step": "200", "status": "200"})'
)
expect(moved, {"current_workflow_step": "200", "status": "200"})
expect(moved["resource_uri"], f"/api/v1/updateticketstatus/{ticket['id']}/")
refused('api.updateticketstatus(ticket["id"]).patch({"current_workflow_step": "250"})', 400, None)

# Everybody reads it.
expect(session.run('api.ticket(ticket["id"]).get()'), {"title": "Say hello to Debian", "status": "200"})
full = session.run('api.fullticket(ticket["id"]).get()')
expect(full["resource_uri"], f"/api/v1/fullticket/{ticket['id']}/")
expect([artifact["name"] for artifact in full["artifacts"]], ["results"])
expect(full["subtickets"][0]["source_package_upload"]["sourcepackage"], {"name": "hello"})
expect([artifact["name"] for artifact in full["subtickets"][0]["artifacts"]], ["hello_2.10-3_source.changes"])

for title in ("Second", "Third"):
    session.run(f'api.ticket.post({{"owner": "ann@example.com", "title": "{title}"}})["id"]')
session.run('api.ticket.post({"owner": "eve@example.com", "title": "Another\'s"})["id"]')

page = session.run('page = api.ticket.get(owner__startswith="ann@", limit=2)')
expect(page["meta"], {"limit": 2, "offset": 0, "previous": None, "total_count": 3})
expect(page["meta"]["next"], "/api/v1/ticket/?owner__startswith=ann%40&limit=2&offset=2")
expect([one["title"] for one in page["objects"]], ["Say hello to Debian", "Second"])
page = session.run('page = api.ticket.get(owner__startswith="ann@", limit=2, offset=2)')
expect([one["title"] for one in page["objects"]], ["Third"])
expect(page["meta"], {"next": None, "previous": "/api/v1/ticket/?owner__startswith=ann%40&limit=2&offset=0"})

page = session.run('api.ticketstatus.get(current_workflow_step=200, limit=1)')
expect([one["id"] for one in page["objects"]], [ticket["id"]])
page = session.run('api.subticket.get(ticket=ticket["id"], limit=1)')
expect([one["id"] for one in page["objects"]], [subticket["id"]])
page = session.run('api.spu.get(sourcepackage__name="hello", limit=1)')
expect([one["id"] for one in page["objects"]], [upload["id"]])
page = session.run('api.ticket.get(id__in=[1, 2, 3], order_by="-title", limit=1)')
expect([one["title"] for one in page["objects"]], ["Third"])
expect(page["meta"]["total_count"], 3)
some = session.run('api.ticket.set("1;3;77").get()["not_found"]')
expect(some, ["77"])
refused("api.ticket.get(limit=-1)", 400, {"error": "Invalid limit '-1' provided. Please provide a positive integer &gt;= 0."})
refused("api.ticket.get(description=1)", 400, {"error": "The 'description' field does not allow filtering."})

# It is corrected, and what is not needed any more is removed.
changed = session.run(
    'api.ticketartifact(results["id"]).put({"name": "final results", "type": "RESULTS",'
    ' "ticket": ticket["resource_uri"], "reference": "https://store.example/final.html"})'
)
expect(changed, {"id": results["id"], "name": "final results", "reference": "https://store.example/final.html"})
expect(session.run('api.ticket(ticket["id"]).patch({"title": "Hello, Debian"})'), {"title": "Hello, Debian", "status": "200"})
refused('api.ticket(ticket["id"]).delete()', 409, None)
expect(session.run('api.ticketartifact(results["id"]).delete()'), True)
refused('api.ticketartifact(results["id"]).delete()', 404, None, HttpNotFoundError)

# The lander completes it: it is open no more, and can still be found.
moved = session.run(
    'api.updateticketstatus(ticket["id"]).patch({"current_workflow_step": "1000", "status": "1000"})["status"]'
)
expect(moved, "1000")
titles = session.run('[one["title"] for one in api.opentickets.get()["objects"]]')
expect(titles, ["Second", "Third", "Another's"])
titles = session.run('[one["title"] for one in api.ticketstatus.get(current_workflow_step="1000")["objects"]]')
expect(titles, ["Hello, Debian"])
