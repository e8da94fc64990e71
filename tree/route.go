package tree

import "strings"

// Route returns the pattern of s, a route or URL. It keeps only the path, without a trailing slash, and replaces every
// segment that identifies one object (a number, a UUID, a hash) by :p:
//
//	/orders/42?x=1#y → /orders/:p
//
// The route of a router that begins with # is a path too: Route("#/orders") is "/orders". Route("") is "", and
// Route(Route(s)) is Route(s).
func Route(s string) string {
	s = strings.TrimSpace(s)
	if _, after, ok := strings.Cut(s, "://"); ok {
		_, path, _ := strings.Cut(after, "/")
		s = "/" + path
	}
	s = strings.TrimPrefix(s, "#") // a router in the browser writes its route as #/orders/42
	if i := strings.IndexAny(s, "?#"); i >= 0 {
		s = s[:i]
	}
	if s == "" {
		return ""
	}
	var b strings.Builder
	for seg := range strings.SplitSeq(strings.Trim(s, "/"), "/") {
		if seg = strings.TrimSpace(seg); seg == "" {
			continue
		}
		b.WriteByte('/')
		if namesOneThing(seg) {
			seg = ":p"
		}
		b.WriteString(seg)
	}
	if b.Len() == 0 {
		return "/"
	}
	return b.String()
}

// namesOneThing reports whether a path segment identifies one object: :p itself, digits, a UUID, or eight or more hex
// digits including a decimal digit.
func namesOneThing(seg string) bool {
	if seg == ":p" {
		return true
	}
	digits, hex := 0, 0
	for _, c := range []byte(seg) {
		switch {
		case c >= '0' && c <= '9':
			digits++
			hex++
		case c >= 'a' && c <= 'f', c >= 'A' && c <= 'F':
			hex++
		case c == '-':
		default:
			return false
		}
	}
	dashes := len(seg) - hex
	return digits == len(seg) || (digits > 0 && hex >= 8 && (dashes == 0 || (hex == 32 && dashes == 4)))
}
