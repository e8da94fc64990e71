package pages

import (
	"embed"
	"net/http"
	"path"

	"github.com/memtree/memtree/effect/plot"
)

// static holds the style, and the keys of the inbox.
//
//go:embed static/*.css static/*.js
var static embed.FS

// Static answers with one of these files. They are small, and asked for again once a day.
func Static(w http.ResponseWriter, r *http.Request) {
	name := path.Base(r.PathValue("file"))
	b, err := static.ReadFile("static/" + name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	kind := "text/javascript; charset=utf-8"
	if path.Ext(name) == ".css" {
		kind = "text/css; charset=utf-8"
		b = append(b, plot.Style...)
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "private, max-age=86400")
	_, _ = w.Write(b)
}
