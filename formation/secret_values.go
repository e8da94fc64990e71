package formation

import (
	"strings"
)

// secretName returns the kind of secret that a name such as apiToken or DB_PASSWORD denotes: "password", "secret",
// "key" for a name that may also denote something else, and "" for none.
func secretName(w string) string {
	if len(w) < 3 {
		return ""
	}
	var buf [64]byte
	w = w[max(0, len(w)-len(buf)):] // the last word of a name decides
	n := 0                          // buf[:n] is the name in lower case without separators
	for i := 0; i < len(w); i++ {
		switch c := w[i]; {
		case c >= 'A' && c <= 'Z':
			buf[n] = c | 0x20
			n++
		case c == '_' || c == '-' || c == '.' || c == ' ':
		default:
			buf[n] = c
			n++
		}
	}
	f := string(buf[:n])
	key := strings.Contains(f, "key")
	switch {
	case strings.Contains(f, "password"), strings.Contains(f, "passwd"), strings.HasSuffix(f, "pwd"),
		strings.Contains(f, "passphrase"):
		return "password"
	case key && (strings.Contains(f, "apikey") || strings.Contains(f, "secretkey") || strings.Contains(f, "accesskey") ||
		strings.Contains(f, "privatekey") ||
		strings.Contains(f, "accountkey") || strings.Contains(f, "sharedkey") || strings.HasSuffix(f, "authkey") ||
		strings.HasSuffix(f, "signingkey") ||
		strings.HasSuffix(f, "licensekey") || strings.HasSuffix(f, "encryptionkey") || strings.HasSuffix(f, "sessionkey") ||
		strings.HasSuffix(f, "pubkey")):
		return "secret"
	case strings.HasSuffix(f, "token"), strings.HasSuffix(f, "secret"), strings.Contains(f, "clientid"),
		strings.Contains(f, "clientsecret"),
		strings.Contains(f, "accessid"), strings.Contains(f, "credential"), strings.HasSuffix(f, "cookie"),
		f == "authorization", strings.HasPrefix(f, "bundle"):
		return "secret"
	case len(f) >= 6 && strings.Contains(f, "token"):
		return "secret"
	case len(f) > 4 && (key && strings.HasSuffix(f, "key") || strings.HasSuffix(f, "client") ||
		strings.HasSuffix(f, "session")):
		return "key"
	}
	return ""
}

// secretValue reports whether v, the value of a name of that kind, looks like a secret and not like a word, a
// placeholder or an expression.
func secretValue(v, kind string) bool {
	if placeholder(v) {
		return false
	}
	digits, letters := hasClass(v, digit), hasClass(v, letter)
	switch {
	case strings.IndexByte(v, ' ') >= 0 && !digits:
		return false // prose
	case kind == "password":
		return len(v) >= 4
	case kind == "key": // such a name may also denote a column, a shortcut or a browser
		return len(v) >= 16 && digits && letters && strings.IndexByte(v, '.') < 0 && !wordy(v)
	case len(v) < 8:
		return false
	case digits && letters:
		return true
	case digits:
		return len(v) >= 12
	default:
		return len(v) >= 14 && mixedCase(v) && !wordy(v) ||
			len(v) >= 16 && (strings.IndexByte(v, ':') > 0 || !vowelled(v))
	}
}

// placeholder reports whether a value is only a placeholder for a secret.
func placeholder(v string) bool {
	if v == "" || strings.HasPrefix(v, "[redacted") ||
		strings.IndexByte("$%{<*", v[0]) >= 0 && (len(v) < 2 || v[0] != '*' || v[1] == '*') {
		return true
	}
	low := strings.ToLower(v)
	if strings.Trim(low, "x*.-_•#0") == "" || strings.Contains(low, "example") || strings.HasPrefix(low, "your") ||
		strings.HasPrefix(low, "os.") ||
		strings.HasPrefix(low, "process.env") || strings.Contains(low, "placeholder") || strings.Contains(low, "redacted") {
		return true
	}
	return among(plainValues, strings.Trim(low, ".:!?;"))
}

// plainValues are words that follow the names of secrets in prose, code and reports without being secrets.
const plainValues = " true false null nil none undefined empty required optional missing invalid incorrect wrong " +
	"correct valid field fields input text type string number boolean password passwords secret token key is are was " +
	"and or the not this that must should changed reset forgot show hide visible hidden mask masked label title page " +
	"form button confirm mismatch "

func hasClass(s string, class byte) bool {
	for i := 0; i < len(s); i++ {
		if classes[s[i]]&class != 0 {
			return true
		}
	}
	return false
}

func mixedCase(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r >= 'a' && r <= 'z' }) &&
		strings.ContainsFunc(s, func(r rune) bool { return r >= 'A' && r <= 'Z' })
}

// wordy reports whether s looks like a compound of words, as identifiers are: at least two thirds of its runs of small
// letters have three letters or more.
func wordy(s string) bool {
	runs, long, n := 0, 0, 0
	count := func() {
		if n > 0 {
			runs++
			if n >= 3 {
				long++
			}
		}
		n = 0
	}
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= 'a' && c <= 'z' {
			n++
		} else {
			count()
		}
	}
	count()
	return runs > 0 && 3*long >= 2*runs
}

// vowelled reports whether at least a fifth of the bytes are vowels, as in words.
func vowelled(s string) bool {
	vowels := 0
	for i := 0; i < len(s); i++ {
		if strings.IndexByte("aeiouyAEIOUY", s[i]) >= 0 {
			vowels++
		}
	}
	return 5*vowels >= len(s)
}
