package formation

import (
	"regexp"
	"strings"
	"sync"
)

// loggedIn reports whether the value f.s[from:to], which follows a name that ends at at, is the password of a login in
// running text: “log in as admin with password hunter2”. A wrong or weak password is a value of a test, and stays.
func (f *secretFinder) loggedIn(at, from, to int) bool {
	const most = 64 // bytes before the value that are read
	v := strings.ToLower(f.s[from:to])
	// A value of fewer than 5 bytes, or one that does not follow its name at once, is a part of the sentence.
	if len(v) < 5 || from-at > 2 || !hasClass(v, digit) || !hasClass(v, letter) || placeholder(v) ||
		testValue().MatchString(v) {
		return false
	}
	before := strings.ToLower(f.s[max(0, from-most):from])
	return logins().MatchString(before) && !testValue().MatchString(before)
}

// logins matches a login before a password. testValue matches terms for a password that a test tries.
var (
	logins = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\b(?:log(?:ged|ging)?[ -]?(?:in|on)|sign(?:ed|ing)?[ -]?in|` +
			`username|user|account|as|credentials)\b|登录|登陆|账号|账户|用户`)
	})
	testValue = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`wrong|invalid|incorrect|bad|weak|short|long|expired|` +
			`old|fail|reject|refus|error|dummy|fake|` +
			`错误|过期|太短|太长|输错`)
	})
)
