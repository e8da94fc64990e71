package formation

import (
	"cmp"
	"slices"
	"strings"
)

// secretSpan is the place of a secret in a text, in bytes.
type secretSpan struct {
	from, to int
	kind     string
}

// Classes of bytes; a byte may have several.
const (
	core = 1 << iota // names and most tokens are made of these
	wide             // values are made of these: core and some marks
	digit
	letter
)

var classes = func() (t [256]byte) {
	for c := range t {
		switch {
		case c >= '0' && c <= '9':
			t[c] = core | wide | digit
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
			t[c] = core | wide | letter
		case c == '_', c == '-':
			t[c] = core | wide
		case strings.IndexByte("./+=~%|:@!$*&#?^", byte(c)) >= 0:
			t[c] = wide
		}
	}
	return t
}()

// suspicious reports whether a text may have a secret. It is one cheap pass over the bytes; most ordinary texts have
// nothing suspicious and need no more work. It looks for long tokens with digits, names of secrets, an @ after a
// scheme, and the dashes of a key block.
func suspicious(s string) bool {
	start, digits := 0, false
	scheme := -maxAddress // the offset of the last ://
	for i := 0; i < len(s); i++ {
		k := classes[s[i]]
		if k&core != 0 {
			digits = digits || k&digit != 0
			continue
		}
		if i > start+1 && suspiciousWord(s, start, i, digits) {
			return true
		}
		switch {
		case s[i] == ':' && strings.HasPrefix(s[i:], "://"):
			scheme = i
		case s[i] == '@' && i-scheme < maxAddress:
			return true
		}
		if c := s[i]; c >= 0xe4 && c <= 0xe7 && i+6 <= len(s) && chineseSecond(s[i+1]) && chineseName(s[i:]) {
			return true
		}
		start, digits = i+1, false
	}
	return len(s) > start+1 && suspiciousWord(s, start, len(s), digits)
}

// suspiciousWord reports whether the token s[from:to] may be a secret or name one.
func suspiciousWord(s string, from, to int, digits bool) bool {
	if to-from >= 14 && digits {
		return true
	}
	for to > from+3 && classes[s[to-1]]&digit != 0 {
		to--
	}
	if to-from < 2 {
		return false
	}
	// Names of secrets, and words that precede a secret, end with these letters; words of prose seldom do. A name that
	// secretName knows and that ends otherwise is noticed if its value is a long token with digits.
	end := uint32(s[to-2]|0x20)<<8 | uint32(s[to-1]|0x20)
	if to-from >= 3 {
		end |= uint32(s[to-3]|0x20) << 16
	}
	switch end {
	case 'k'<<16 | 'e'<<8 | 'n', 'r'<<16 | 'e'<<8 | 't', 'o'<<16 | 'r'<<8 | 'd', 's'<<16 | 'w'<<8 | 'd',
		'p'<<16 | 'w'<<8 | 'd', 'k'<<16 | 'e'<<8 | 'y',
		'i'<<16 | 'a'<<8 | 'l', 'a'<<16 | 'l'<<8 | 's', 'k'<<16 | 'i'<<8 | 'e', 'a'<<16 | 's'<<8 | 'e',
		't'<<16 | 'i'<<8 | 'd', 's'<<16 | 'i'<<8 | 'd', 'c'<<16 | 'o'<<8 | 'm':
		return secretName(s[from:to]) != ""
	case 'r'<<16 | 'e'<<8 | 'r', 's'<<16 | 'i'<<8 | 'c', 's'<<16 | 'e'<<8 | 'r', 'g'<<16 | 'i'<<8 | 'n',
		'i'<<16 | 'o'<<8 | 'n':
		return authWord(s[from:to])
	}
	return s[from] == '-' && (strings.HasPrefix(s[from:to], "---") || s[from:to] == "-u")
}

// authWord reports whether a word precedes a secret: a scheme of an Authorization header, an option of curl, or the
// begin of a key block.
func authWord(w string) bool {
	return len(w) == 6 && strings.EqualFold(w, "bearer") ||
		len(w) == 5 && (strings.EqualFold(w, "basic") || strings.EqualFold(w, "-user")) ||
		strings.HasSuffix(w, "BEGIN") || strings.EqualFold(w, "--user") || strings.EqualFold(w, "authorization")
}

var chineseNames = []string{"密码", "口令", "密钥", "令牌", "秘钥"}

// chineseSecond reports whether a byte is the second one of 密, 口, 令 or 秘.
func chineseSecond(b byte) bool { return b == 0xaf || b == 0x8f || b == 0xbb || b == 0xa7 }

// chineseName reports whether s begins with one of chineseNames. The caller first
// tests the second byte, because the first ones are frequent in Chinese text.
func chineseName(s string) bool {
	return slices.ContainsFunc(chineseNames, func(n string) bool { return strings.HasPrefix(s, n) })
}

// secrets returns the places of all secrets, sorted by where they begin. They may
// overlap.
func secrets(s string) []secretSpan {
	f := &secretFinder{s: s}
	f.blocks()
	f.words()
	f.urls()
	f.chinese()
	slices.SortStableFunc(f.spans, func(a, b secretSpan) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to))
	})
	return f.spans
}

// secretFinder finds secrets. Its work is linear in the length of the text, also in a hostile one: a text in which a
// secret seems to begin at every byte is not read to the end each time, see tooOften.
type secretFinder struct {
	s     string
	spans []secretSpan
	// The current run of value bytes, and how many of its bytes have been read. A byte that is read again is added
	// again.
	from, end int
	read      int
}

const (
	maxLook    = 512 // bytes of a value or token that are read to see whether it is a secret
	maxAddress = 256 // bytes of an address that are read
)

// run makes the run of value bytes that begins at a place the current one, unless
// the place is inside the current run.
func (f *secretFinder) run(at int) {
	if at >= f.from && at < f.end {
		return
	}
	f.from, f.end, f.read = at, at, 0
	for f.end < len(f.s) && classes[f.s[f.end]] != 0 {
		f.end++
	}
}

// tooOften reports whether the current run has been read again and again, because more secrets seem to begin in it
// than in any real text. The caller then redacts the whole run: to read on would cost too much, and to skip it might
// leave a secret.
func (f *secretFinder) tooOften() bool { return f.read > 4*(f.end-f.from)+2*maxLook }

// add records a secret and returns where it ends. A secret that is longer than the bytes read extends to the end of
// its run.
func (f *secretFinder) add(from, to int, kind string) int {
	if to-from >= maxLook-1 && to < len(f.s) && classes[f.s[to]] != 0 {
		f.run(to)
		to = f.end
	}
	f.note(from, to, kind)
	return to
}

func (f *secretFinder) note(from, to int, kind string) {
	if !strings.HasPrefix(f.s[from:to], "[redacted:") {
		f.spans = append(f.spans, secretSpan{from, to, kind})
	}
}

// blocks finds private keys. A key without an end extends to the end of the text.
func (f *secretFinder) blocks() {
	for at := 0; ; {
		i := strings.Index(f.s[at:], "-----BEGIN ")
		if i < 0 {
			return
		}
		i += at
		head := f.s[i : i+min(len(f.s)-i, 80)]
		if !strings.Contains(head, "PRIVATE KEY") {
			at = i + 11
			continue
		}
		end := len(f.s)
		if j := strings.Index(f.s[i+11:], "-----END "); j >= 0 {
			end = i + 11 + j + len("-----END ")
			if k := strings.Index(f.s[end:], "-----"); k >= 0 && k < 60 {
				end += k + 5
			}
		}
		f.note(i, end, "private-key")
		at = end
	}
}

// words reads each token of the text. It finds secrets of known forms, and values after the name of a secret.
func (f *secretFinder) words() {
	for i := 0; i < len(f.s); {
		if classes[f.s[i]]&core == 0 {
			i++
			continue
		}
		end := i
		for end < len(f.s) && classes[f.s[end]]&core != 0 {
			end++
		}
		i = max(f.word(i, end), end)
	}
}

// word reads the token s[from:to] and returns the next position.
func (f *secretFinder) word(from, to int) int {
	w := f.s[from:to]
	f.run(from)
	if f.tooOften() {
		f.note(f.from, f.end, "secret")
		return f.end
	}
	if kind, n := f.knownToken(from); n > 0 {
		return f.add(from, from+n, kind)
	}
	switch kind := secretName(w); {
	case strings.EqualFold(w, "bearer"), strings.EqualFold(w, "basic"), strings.EqualFold(w, "token"):
		if end := f.header(to); end > 0 {
			return end
		}
		if kind != "" {
			return f.assigned(to, kind)
		}
	case w == "-u" || w == "--user":
		return f.user(to)
	case kind != "":
		return f.assigned(to, kind)
	}
	return to
}

// header finds the value of an Authorization header after its scheme, which ends at at. It returns the end of the
// value, 0 for none.
func (f *secretFinder) header(at int) int {
	if at >= len(f.s) || f.s[at] != ' ' {
		return 0
	}
	from := at + 1
	to := f.value(from)
	v := f.s[from:to]
	if kind, n := f.knownToken(from); n > 0 {
		return f.add(from, from+n, kind)
	}
	if len(v) < 8 || placeholder(v) || !hasClass(v, digit) && (len(v) < 16 || !mixedCase(v)) {
		return 0
	}
	return f.add(from, to, "authorization")
}

// user finds name:password after the option -u or --user of curl, which ends at at. It returns the next position.
func (f *secretFinder) user(at int) int {
	from := at
	for from < len(f.s) && strings.IndexByte(" ='\"", f.s[from]) >= 0 && from < at+4 {
		from++
	}
	const maxName = 64
	colon := strings.IndexByte(f.s[from:min(len(f.s), from+maxName+1)], ':')
	if colon < 0 {
		return at
	}
	stop := " \t\n\""
	if q := f.s[from-1 : from]; q == "'" || q == "\"" {
		stop = "\n" + q
	}
	to := min(len(f.s), from+maxAddress)
	if i := strings.IndexAny(f.s[from:to], stop); i >= 0 {
		to = from + i
	}
	f.run(from)
	f.read += to - from
	if from+colon >= to {
		return at
	}
	if password := strings.Trim(f.s[from+colon+1:to], "'\""); len(password) < 3 || placeholder(password) {
		return at
	}
	return f.add(from, to, "password")
}

// assigned finds the value that follows the name of a secret, which ends at at. It returns the next position.
func (f *secretFinder) assigned(at int, kind string) int {
	from, firm := f.operator(at)
	if from == at {
		return at
	}
	if kind, n := f.knownToken(from); n > 0 {
		return f.add(from, from+n, kind)
	}
	to := f.value(from)
	quoted := from > 0 && strings.IndexByte("\"'`", f.s[from-1]) >= 0
	if kind == "password" && quoted { // a password may contain any character
		q := strings.IndexByte(f.s[from:min(len(f.s), from+128)], f.s[from-1])
		if q >= 0 && strings.IndexByte(f.s[from:from+q], ' ') < 0 {
			to = from + q
		}
	}
	if kind == "password" && !firm && !quoted && f.loggedIn(at, from, to) {
		return f.add(from, to, kind)
	}
	if !firm && !quoted {
		kind = "secret" // prose such as "password wrong1" must pass the test of a secret
		if !hasClass(f.s[from:to], digit) || to-from < 12 {
			return at
		}
	}
	if !secretValue(f.s[from:to], kind) {
		return at
	}
	if kind == "password" && !quoted && f.s[from-1] == ' ' &&
		strings.Trim(f.s[from:to], "abcdefghijklmnopqrstuvwxyz") == "" {
		return at // "the password: users must …"
	}
	return f.add(from, to, kind)
}

// operator skips the text between a name and its value in common languages and returns where the value begins. firm is
// whether it was an assignment (: = > 是 为).
func (f *secretFinder) operator(at int) (from int, firm bool) {
	const most = 40
	i := at
	for i < len(f.s) && i-at < most {
		switch c := f.s[i]; {
		case c == ':', c == '=', c == '>':
			firm = true
		case strings.IndexByte(" \t\r\n\"'`,()[|?.\\+", c) >= 0:
		case strings.HasPrefix(f.s[i:], "string ") || strings.HasPrefix(f.s[i:], "String "):
			i += 6
		case strings.HasPrefix(f.s[i:], "value:"):
			i += 5
		case strings.HasPrefix(f.s[i:], "fn::secret:"):
			i += 10
		case strings.HasPrefix(f.s[i:], "："), strings.HasPrefix(f.s[i:], "是"), strings.HasPrefix(f.s[i:], "为"):
			firm = true
			i += 2
		default:
			return i, firm
		}
		i++
	}
	return i, firm
}

// value returns the end of the value that begins at from, at most maxLook bytes on.
func (f *secretFinder) value(from int) int {
	f.run(from)
	to := max(from, min(f.end, from+maxLook))
	f.read += to - from
	for to > from && strings.IndexByte(".:", f.s[to-1]) >= 0 {
		to--
	}
	return to
}

// urls finds the password in addresses with user:password, and the path of webhooks,
// which is a secret.
func (f *secretFinder) urls() {
	for at := 0; ; {
		i := strings.Index(f.s[at:], "://")
		if i < 0 {
			break
		}
		from := at + i + 3
		to := from
		for to < len(f.s) && to-from < maxAddress && strings.IndexByte(" \t\n\r\"'<>/`", f.s[to]) < 0 {
			to++
		}
		if k := strings.LastIndexByte(f.s[from:to], '@'); k > 0 {
			if user, password, ok := strings.Cut(f.s[from:from+k], ":"); ok && len(password) >= 2 && !placeholder(password) {
				f.add(from+len(user)+1, from+k, "password")
			}
		}
		at = from
	}
	for _, host := range []string{
		"hooks.slack.com/", ".webhook.office.com/", "discord.com/api/webhooks/", "discordapp.com/api/webhooks/",
	} {
		for at := 0; ; {
			i := strings.Index(f.s[at:], host)
			if i < 0 {
				break
			}
			from := at + i + len(host)
			to := f.value(from)
			if to-from >= 20 {
				from = f.add(from, to, "webhook")
			}
			at = from
		}
	}
}

// chinese finds values after Chinese names of secrets.
func (f *secretFinder) chinese() {
	for _, n := range chineseNames {
		for at := 0; ; {
			i := strings.Index(f.s[at:], n)
			if i < 0 {
				break
			}
			at += i + len(n)
			from, firm := f.operator(at)
			if to := f.value(from); !firm && f.loggedIn(at, from, to) {
				f.add(from, to, "password")
			}
			if firm {
				if to := f.value(from); secretValue(f.s[from:to], "password") && hasClass(f.s[from:to], digit) {
					f.add(from, to, "password")
				}
			}
		}
	}
}
