package appmap

import (
	"net/url"
	"slices"
	"strings"

	"github.com/memtree/memtree/tree"
)

// variable is a segment of a route that identifies one object, as [tree.Route] writes it.
const variable = ":p"

// PageOf returns the page of an address: its route, as [tree.Route] writes it, without session ids, and with the part
// behind # if a router in the browser uses it.
//
//	https://shop.test/orders/42?x=1#y   → /orders/:p
//	https://shop.test/app#!/cart/7      → /app/cart/:p
//	/reports/2026-05-01;jsessionid=9F3A → /reports/:p
//
// PageOf(PageOf(s)) is PageOf(s).
func PageOf(address string) string {
	path, fragment, _ := strings.Cut(strings.TrimSpace(address), "#")
	if fragment = strings.TrimPrefix(fragment, "!"); strings.HasPrefix(fragment, "/") {
		path, _, _ = strings.Cut(path, "?")
		path = strings.TrimSuffix(path, "/") + fragment
	}
	route := tree.Route(path)
	if route == "" {
		return "/"
	}
	segments := strings.Split(route, "/")
	for i, s := range segments {
		s, _, _ = strings.Cut(s, ";")
		if s != "" && identifies(s) {
			s = variable
		}
		segments[i] = s
	}
	if route = strings.Join(segments, "/"); !strings.HasPrefix(route, "/") {
		route = "/" + route
	}
	return route
}

// identifies reports whether a segment is made of digits and separators, such as a date, or is a long token of letters
// and digits mixed, such as the id of a session.
func identifies(s string) bool {
	digits, letters, turns, was := 0, 0, 0, 0
	for _, c := range []byte(s) {
		is := was
		switch {
		case c >= '0' && c <= '9':
			digits++
			is = 1
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
			letters++
			is = 2
		case c >= 0x80, c == '%':
			return false
		}
		if was != 0 && is != was {
			turns++
		}
		was = is
	}
	if letters == 0 {
		return digits > 0
	}
	return len(s) >= 16 && digits >= 4 && turns >= 4
}

// hostOf returns the host of an address, "" for one without.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// elsewhere reports whether an address is on another host than one that was seen with it.
func elsewhere(address, from string) bool {
	a, b := hostOf(address), hostOf(from)
	return a != "" && b != "" && a != b
}

// paramsOf returns the names of the parameters of an address, sorted.
func paramsOf(address string) []string {
	_, query, ok := strings.Cut(address, "?")
	if !ok {
		return nil
	}
	query, _, _ = strings.Cut(query, "#")
	var out []string
	for part := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(part, "=")
		if name, err := url.QueryUnescape(name); err == nil && name != "" && len(name) <= 64 && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// assets are endings of addresses that are parts of pages, and no pages.
var assets = []string{
	"png", "jpg", "jpeg", "gif", "svg", "webp", "avif", "ico", "bmp", "css", "js", "mjs", "map", "woff", "woff2", "ttf",
	"otf", "eot", "mp3", "mp4", "webm", "ogg", "wav", "zip", "gz", "tgz", "tar", "7z", "exe", "dmg", "iso",
}

// asset reports whether a route is that of an image, a style sheet or another file that is no page.
func asset(route string) bool {
	_, ending, ok := strings.Cut(route[strings.LastIndexByte(route, '/')+1:], ".")
	ending = ending[strings.LastIndexByte(ending, '.')+1:]
	return ok && slices.Contains(assets, strings.ToLower(ending))
}
