"""Takes out of the sample reports what tells of the machine that made them: strip.py FOLDER WORK."""
import getpass
import os
import pathlib
import re
import socket
import sys

out, work = sys.argv[1], os.path.realpath(sys.argv[2])
for file in sorted(pathlib.Path(out).rglob("*")):
    if file.suffix not in (".json", ".xml", ".html", ".yaml"):
        continue
    text = file.read_text(encoding="utf-8", errors="surrogateescape")
    old = text
    for path in {work, sys.argv[2]}:
        text = text.replace(path, "/app")
    text = re.sub(r"/(?:tmp|root|home|usr/(?:lib|local|bin))/[^\s\"'):,\\]*", "/app/tool", text)
    if file.suffix == ".html":  # the app that shows the report and the screenshots are not read
        text = re.sub(r"(<script(?![^>]*midscene_(?:web|test_run)_dump)[^>]*>).*?(</script>)", r"\1\2", text, flags=re.S)
        text = re.sub(r"(<style[^>]*>).*?(</style>)", r"\1\2", text, flags=re.S)
        text = re.sub(r"data:image/[^\"']*", "", text)
    text = re.sub(r"file:///[^\s\"')]*/(?=[^/\s]*:\d)", "file:///app/", text)
    text = re.sub(r"<properties>(?:(?!</properties>).)*java\.home.*?</properties>", "", text, flags=re.S)  # of the JVM
    host = re.escape(socket.gethostname())
    text = re.sub(rf'(hostname=")({host})(")', r"\1host\3", text)
    text = re.sub(rf'("(?:name|value|host|hostname|user|username)": ?")(?:{host}|{re.escape(getpass.getuser())})(")', r"\1host\2", text)
    text = re.sub(rf"\b\d+-{host}\b|\b{host}\b(?=[-\"'])", "host", text)
    if text != old:
        file.write_text(text, encoding="utf-8", errors="surrogateescape")
    size = file.stat().st_size
    if size > 200_000:
        sys.exit(f"{file} has {size} bytes")
