import json
import pytest
from tests.registry.api.client import *
pytestmark = pytest.mark.django_db
def show(a, label=""):
    print(label, a.status_code, a.headers.get("Content-Type"), a.headers.get("Allow"), a.headers.get("WWW-Authenticate"), a.content[:400].decode())
def test_probe():
    from django.test import Client
    c = Client(raise_request_exception=False)
    show(post_json("/api/tools/register", document(endpoint={"url":"http://localhost:1/x"}, parameters=[{"name":"to","type":"string"}])))
    show(c.get("/"))
    for doc in [{"int": 1,"name":"x"}, {"name":"x","capabilities":{"int":1}}, {"name":"x","policy":5}, {"name":"x","parameters":[{"name":"a","type":5}]}, {"name":"x","parameters":[{"name":"a","type":["string",5]}]},{"name":"x","endpoint":{"url":"http://x:99999/"}}, {"name":"x2","endpoint":{"url":"http://[::1/"}}, {"name":"x3","version":"bad"}, {"name":"x3","parameters":{"a":1}},
      {"name":"x3","parameters":[{"name":"a","default":float("1e300")}]}, {"name":"x3","policy":{"timeout":1e306}}, {"name":"x3","policy":{"timeout":"PT5"}}, {"name":"x3","scopes":["a b"]}]:
        show(post_json("/api/tools/register", doc), json.dumps(doc))
    show(c.get("/"), "discover")
    for b in [{"tool_ids":["x"],"provider_instance":"i","timestamp":t} for t in (True, {}, "yesterday", [1,"a"], [2026,1,1], 1.5, None, ["x"])]:
        show(post_json("/api/tools/heartbeat", b), json.dumps(b))
    for b in [{"query":"a","category":5},{"query":"a","category":[5]},{"query":"a","category":""},{"query":"a","category":[""]}, {"query":"a","topK":0}, {"query":" "}, {"query":"a","top_k":1,"topK":2}, {"query":"a","topk":2}]:
        show(post_json("/api/tools/search", b), json.dumps(b))
    for p in ["/api/tools/a%00b", "/api/tools/%ED%A0%80", "/api/tools/%FF", "/api/tools/a/b%00/versions","/tools/%00","/api/tools/available?category=%00","/api/tools/available?category=%FF","/api/tools/available?a%2Fb~=%FF","/api/tools/available?cursor=AA==","/api/tools/available?cursor=é","/api/tools/available?cursor=abc","/api/tools/available?limit=0","/api/tools/available?limit=1_0","/api/tools/available?format=xml","/api/tools/available?format=json","/api/tools/available?include_deprecated=1&includeDeprecated=0", "/api/tools/available?"+"&".join(["tag=a"]*1001), "/api/tools/resolve?name=send_email&version=latest%20||","/api/tools/resolve?ref=%20","/api/tools/resolve?name=send_email&version=","/api/tools/resolve?ref=send_email@%5E9", "/api/tools/resolve?ref=send_emai", "/api/tools/resolve?name=send_email&version=" + "1"*1025, "/api/tools/mail-team:send_email:9.0.0", "/api/tools/MAIL-TEAM:send_email:1.0.0","/nope","/api/tools/register/"]:
        show(c.get(p), p[:80])
    for p in ["/", "/stats", "/health", "/api/tools/available", "/api/tools/register"]:
        show(c.put(p), "PUT "+p); show(c.delete(p), "DELETE "+p)
    show(Client(enforce_csrf_checks=True).post("/"), "POST /")
    show(Client(enforce_csrf_checks=True).post("/api/tools/heartbeat", b"{}", content_type="application/json"), "POST")
    show(c.get("/api/stats", headers={"accept":"text/xml"}), "406")
    show(c.get("/api/stats", headers={"host":"evil"}), "host")
    for a in ["Bearer x","Basic x","Bearer","","Bearer é","Bearer x y"]:
        show(c.get("/api/tools/available?category=%zz", headers={"authorization":a}), "auth "+a)
        show(c.post("/api/tools/heartbeat", b"x", content_type="multipart/form-data", headers={"authorization":a}), "auth multi "+a)
    for body,ct in [(b"","application/json"),(b"",""),(b"a=1","application/x-www-form-urlencoded"),(b"{}","text/plain"),(b"null","application/json"),(b"true","application/json"),(b"[]","application/json"),(b'"x"',"application/json"), (b'{}', "garbage;;"), (b'x', "multipart/form-data")]:
        for p in ["/api/tools/register","/api/tools/heartbeat"]:
            show(c.post(p, body, content_type=ct), f"{p} {body} {ct}")
    show(c.options("/api/tools/available"), "options")
