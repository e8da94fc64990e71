package pages

import (
	"embed"
	"net/http"
	"path"

	"github.com/memtree/memtree/internal/plot"
)

// static holds the style, the keys of the inbox, and the icon.
//
//go:embed static/*.css static/*.js static/*.svg
var static embed.FS

// Static answers a request for a built-in file, such as a style sheet. Browsers may keep the file for a day.
func Static(w http.ResponseWriter, r *http.Request) {
	name := path.Base(r.PathValue("file"))
	b, err := static.ReadFile("static/" + name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	kind := "text/javascript; charset=utf-8"
	switch path.Ext(name) {
	case ".css":
		kind = "text/css; charset=utf-8"
		b = append(b, plot.Style...)
	case ".svg":
		kind = "image/svg+xml"
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "private, max-age=86400")
	_, _ = w.Write(b)
}
