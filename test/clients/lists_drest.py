"""What drest, a client of Tastypie servers, does beyond one call at a time: discovery, schema, lists that change.

Usage: lists_drest.py BASE_URL [NAME TOKEN]

With a name and a token it signs in, as to Tastypie's ApiKeyAuthentication.
"""

import sys
import warnings

# Of 2014: it compares a text by identity, which newer Pythons warn of.
warnings.simplefilter("ignore", SyntaxWarning)

import drest
from drest.exc import dRestRequestError

from session import Session, expect

base_url, *credentials = sys.argv[1:]
session = Session(drest=drest)

# It lists the resources as soon as it is made, before it signs in.
print(f">>> api = drest.api.TastyPieAPI({base_url + '/api/v1/'!r})\n")
session.names["api"] = drest.api.TastyPieAPI(base_url + "/api/v1/")
if credentials:
    session.names["name"], session.names["token"] = credentials
    refusal = session.fails("api.ticket.get()", dRestRequestError)
    expect(refusal.response.status, 401)
    session.run("api.auth(name, token)")

resources = session.run("sorted(api.resources)")
for name in ("ticket", "subticket", "spu", "sourcepackage", "fullticket", "updateticketstatus", "ticketartifact", "person"):
    expect(name in resources, True)

schema = session.run("api.ticket.schema")
expect(schema, {"default_format": "application/json", "default_limit": 20})
expect(schema["fields"]["owner"], {"blank": False, "nullable": False, "readonly": False, "type": "string"})
expect(sorted(schema["allowed_detail_http_methods"]), ["delete", "get", "patch", "put"])
expect(session.run('api.spu.schema["fields"]["sourcepackage"]'), {"type": "related", "related_type": "to_one"})

session.run('package = api.sourcepackage.post({"name": "drest"}).data')
upload = session.run('upload = api.spu.post({"sourcepackage": package["resource_uri"], "version": "1"}).data')
same = session.run('api.spu.get_by_uri(upload["resource_uri"]).data')
expect(same, upload)

# Many at once: new ones, changed ones, deleted ones; all or nothing.
status = session.run(
    'api.sourcepackage.patch_list(create_objects=[{"name": "one"}, {"name": "two"}, {"name": "three"}]).status'
)
expect(status, 202)
page = session.run('page = api.sourcepackage.get(params={"name__in": "one,two,three", "order_by": "id"}).data["objects"]')
expect([one["name"] for one in page], ["one", "two", "three"])
answer = session.run(
    'api.sourcepackage.patch_list('
    'create_objects=[{"name": "four"}, {"resource_uri": page[0]["resource_uri"], "name": "first"}],'
    ' delete_objects=[page[1]["resource_uri"]]).data'
)
expect([one["name"] for one in answer["objects"]], ["four", "first"])
refusal = session.fails(
    'api.sourcepackage.patch_list(create_objects=[{"name": "five"}, {"name": "four"}])', dRestRequestError
)
expect(refusal.response.status, 409)
names = session.run('sorted(one["name"] for one in api.sourcepackage.get(params={"limit": 0}).data["objects"])')
expect(names, ["drest", "first", "four", "three"])

changed = session.run('api.sourcepackage.put(package["id"], {"name": "drest2"}).data')
expect(changed, {"resource_uri": upload["sourcepackage"], "name": "drest2"})
expect(session.run('api.spu.delete(upload["id"]).status'), 204)
expect(session.run('api.sourcepackage.delete(package["id"]).status'), 204)
refusal = session.fails('api.sourcepackage.get(package["id"])', dRestRequestError)
expect(refusal.response.status, 404)
