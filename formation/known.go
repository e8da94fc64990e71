package formation

import (
	"strings"
	"sync"
)

// tokenForm is the form of one kind of token.
type tokenForm struct {
	prefix string
	least  int    // the least number of bytes after the prefix
	also   string // bytes that may follow besides letters, digits, _ and -
	kind   string // names the provider in the marker
}

// forms are the forms of tokens that providers have published.
func forms() []tokenForm {
	return []tokenForm{
		{"AKIA", 16, "", "aws"}, {"ASIA", 16, "", "aws"}, {"ABIA", 16, "", "aws"}, {"ACCA", 16, "", "aws"},
		{"A3T", 16, "", "aws"},
		{"ABSK", 60, "+/=", "aws"}, {"bedrock-api-key-", 12, "+/=.", "aws"},
		{"ghp_", 30, "", "github"}, {"gho_", 30, "", "github"}, {"ghu_", 30, "", "github"}, {"ghs_", 30, "", "github"},
		{"ghr_", 30, "", "github"}, {"github_pat_", 40, "", "github"},
		{"glpat-", 16, ".", "gitlab"}, {"gldt-", 16, "", "gitlab"}, {"glft-", 16, "", "gitlab"},
		{"glffct-", 16, "", "gitlab"}, {"glimt-", 16, "", "gitlab"}, {"glagent-", 30, "", "gitlab"},
		{"gloas-", 30, "", "gitlab"}, {"glptt-", 30, "", "gitlab"}, {"glrt-", 16, ".", "gitlab"},
		{"glsoat-", 16, "", "gitlab"}, {"glcbt-", 16, "", "gitlab"}, {"GR1348941", 16, "", "gitlab"},
		{"_gitlab_session", 20, "=", "gitlab"},
		{"xoxb-", 20, "", "slack"}, {"xoxp-", 20, "", "slack"}, {"xoxa-", 20, "", "slack"}, {"xoxo-", 20, "", "slack"},
		{"xoxr-", 20, "", "slack"}, {"xoxs-", 20, "", "slack"}, {"xoxe-", 20, "", "slack"}, {"xoxe.", 20, ".", "slack"},
		{"xapp-", 20, "", "slack"},
		{"AIza", 30, "", "google"}, {"ya29.", 20, ".", "google"}, {"GOCSPX-", 20, "", "google"},
		{"sk_live_", 10, "", "stripe"}, {"sk_test_", 10, "", "stripe"}, {"sk_prod_", 10, "", "stripe"},
		{"rk_live_", 10, "", "stripe"}, {"rk_test_", 10, "", "stripe"}, {"rk_prod_", 10, "", "stripe"},
		{"whsec_", 20, "", "stripe"},
		{"sk-ant-", 20, "", "anthropic"}, {"sk-proj-", 20, "", "openai"}, {"sk-svcacct-", 20, "", "openai"},
		{"sk-admin-", 20, "", "openai"}, {"sk-or-", 20, "", "openrouter"}, {"sk-", 30, "", "openai"},
		{"pplx-", 30, "", "perplexity"}, {"hf_", 30, "", "huggingface"}, {"api_org_", 30, "", "huggingface"},
		{"gsk_", 30, "", "groq"}, {"r8_", 30, "", "replicate"}, {"xai-", 40, "", "xai"},
		{"npm_", 30, "", "npm"}, {"pypi-AgE", 30, "", "pypi"}, {"rubygems_", 40, "", "rubygems"},
		{"CLOJARS_", 40, "", "clojars"},
		{"dop_v1_", 40, "", "digitalocean"}, {"doo_v1_", 40, "", "digitalocean"}, {"dor_v1_", 40, "", "digitalocean"},
		{"shpat_", 30, "", "shopify"}, {"shpca_", 30, "", "shopify"}, {"shppa_", 30, "", "shopify"},
		{"shpss_", 30, "", "shopify"},
		{"SG.", 40, ".=", "sendgrid"}, {"xkeysib-", 60, "", "sendinblue"}, {"key-", 32, "", "mailgun"},
		{"pubkey-", 32, "", "mailgun"},
		{"dp.pt.", 30, ".", "doppler"}, {"dapi", 32, "", "databricks"}, {"dt0c01.", 60, ".", "dynatrace"},
		{"dnkey-", 40, "=", "defined"}, {"EZAK", 50, "", "easypost"}, {"EZTK", 50, "", "easypost"},
		{"FLWSECK", 12, "", "flutterwave"}, {"FLWPUBK", 12, "", "flutterwave"}, {"fm1_", 40, "+/=", "fly"},
		{"fm1r_", 40, "+/=", "fly"}, {"fm1a_", 40, "+/=", "fly"}, {"fm2_", 40, "+/=", "fly"}, {"fio-u-", 40, "=", "frameio"},
		{"duffel_", 30, "=", "duffel"},
		{"glc_", 30, "+/=", "grafana"}, {"glsa_", 30, "", "grafana"}, {"eyJrIjoi", 40, "=", "grafana"},
		{"pat.", 40, ".", "harness"}, {"sat.", 40, ".", "harness"},
		{"HRKU-", 40, "", "heroku"}, {"ico-", 32, "", "infracost"}, {"s-s4t2", 40, "", "intra42"},
		{"lin_api_", 30, "", "linear"}, {"live_", 35, "=", "token"}, {"test_", 35, "=", "token"},
		{"NRII-", 20, "", "newrelic"}, {"NRAK-", 20, "", "newrelic"}, {"NRJS-", 16, "", "newrelic"},
		{"ntn_", 40, "", "notion"}, {"secret_", 40, "", "notion"}, {"API-", 26, "", "octopus"},
		{"sha256~", 40, "", "openshift"},
		{"pscale_", 20, ".=", "planetscale"}, {"PMAK-", 40, "", "postman"}, {"pnu_", 30, "", "prefect"},
		{"pul-", 40, "", "pulumi"}, {"rdme_", 40, "", "readme"}, {"tk-us-", 40, "", "scalingo"},
		{"sntrys_", 40, "+/=", "sentry"}, {"sntryu_", 40, "", "sentry"}, {"sm_aat_", 12, "", "settlemint"},
		{"sm_pat_", 12, "", "settlemint"}, {"sm_sat_", 12, "", "settlemint"}, {"shippo_", 30, "", "shippo"},
		{"sgp_", 30, "", "sourcegraph"}, {"sq0atp-", 16, "", "square"}, {"sq0csp-", 16, "", "square"},
		{"EAAA", 40, "", "square"}, {"EAAC", 40, "", "facebook"}, {"EAAM", 40, "", "facebook"},
		{"tfp_", 40, ".=", "typeform"},
		{"hvs.", 20, "", "vault"}, {"hvb.", 60, "", "vault"}, {"AQVN", 30, "", "yandex"}, {"YC", 38, "", "yandex"},
		{"t1.", 40, ".=", "yandex"}, {"LTAI", 16, "", "alibaba"},
		{"AGE-SECRET-KEY-1", 50, "", "age"}, {"p8e-", 32, "", "adobe"}, {"AKCp", 60, "", "artifactory"},
		{"cmVmd", 55, "", "artifactory"}, {"v1.0-", 120, "", "cloudflare"}, {"4b1d", 38, "", "clickhouse"},
		{"sc_", 40, ".", "authress"}, {"ext_", 40, ".", "authress"}, {"scauth_", 40, ".", "authress"},
		{"ops_eyJ", 40, "+/=", "1password"}, {"ATATT3", 100, "=", "atlassian"}, {"ATCTT3", 100, "=", "atlassian"},
		{"SK", 32, "", "twilio"}, {"AC", 32, "", "twilio"}, {"tvly-", 20, "", "tavily"}, {"lsv2_", 30, "", "langsmith"},
		{"phc_", 30, "", "posthog"},
	}
}

// byFirst maps two bytes to the forms that begin with them.
var byFirst = sync.OnceValue(func() map[[2]byte][]tokenForm {
	m := map[[2]byte][]tokenForm{}
	for _, f := range forms() {
		k := [2]byte{f.prefix[0], f.prefix[1]}
		m[k] = append(m[k], f)
	}
	return m
})

// knownToken returns the kind and length in bytes of the token that begins at an offset, and 0 if no token of a known
// form does.
func (f *secretFinder) knownToken(at int) (kind string, n int) {
	s := f.s[at:]
	f.run(at)
	if len(s) < 14 {
		return "", 0
	}
	if n := f.jwt(s); n > 0 {
		return "jwt", n
	}
	for _, p := range byFirst()[[2]byte{s[0], s[1]}] {
		if !strings.HasPrefix(s, p.prefix) {
			continue
		}
		end := f.tail(s, len(p.prefix), p.also)
		t := s[len(p.prefix):end]
		if len(t) < p.least {
			continue
		}
		random := hasClass(t, digit) || p.least >= 30 && mixedCase(t) && !wordy(t)
		// Two letters begin many words, so a prefix that short has further conditions.
		longPrefix := len(p.prefix) > 2 || hexOnly(t) && len(t) == p.least || p.prefix == "YC" && mixedCase(t)
		if random && !placeholder(t) && longPrefix {
			return p.kind, end
		}
	}
	return f.tokenByShape(s)
}

// tail returns the end of the token that s begins with. The token continues from at, behind its prefix, with core
// bytes and those of also.
func (f *secretFinder) tail(s string, at int, also string) int {
	from := at
	for at < min(len(s), maxLook) && (classes[s[at]]&core != 0 || strings.IndexByte(also, s[at]) >= 0) {
		at++
	}
	f.read += max(0, at-from)
	for at > from && s[at-1] == '.' {
		at--
	}
	return at
}

// jwt returns the length of the JSON web token that s begins with, or 0. Such a
// token is base64 of a JSON object, then a dot and more parts; encoded once more it
// has no dots.
func (f *secretFinder) jwt(s string) int {
	for _, head := range []string{"eyJ", "ewogIC", "ewog"} {
		if !strings.HasPrefix(s, head) {
			continue
		}
		end := f.tail(s, 0, ".=")
		if strings.Count(s[:end], ".") >= 1 && end >= 30 {
			return end
		}
		end = f.tail(s, 0, "+/=") // the whole in base64 once more, or a JWE without dots
		if end >= 60 && hasClass(s[:end], digit) {
			return end
		}
	}
	if strings.HasPrefix(s, "ZXlK") { // a token in base64 once more
		if end := f.tail(s, 0, "+/="); end >= 60 {
			return end
		}
	}
	return 0
}

// tokenByShape returns the kind and length of a token without a prefix but with a shape of its own, and 0 if s begins
// with none.
func (f *secretFinder) tokenByShape(s string) (string, int) {
	end := f.tail(s, 0, "")
	w := s[:end]
	switch {
	case len(w) >= 35 && strings.HasPrefix(w, "A3-") && strings.Count(w, "-") >= 5 &&
		w == strings.ToUpper(w) && hasClass(w[3:], digit):
		return "1password", end
	case len(w) == 17 && end < len(s) && s[end] == '.' && strings.HasPrefix(w, "pat"): // airtable
		if e := f.tail(s, end+1, ""); e-end > 60 {
			return "airtable", e
		}
	case len(w) >= 14 && len(w) <= 18 && strings.HasPrefix(s[end:], ".atlasv1."):
		return "hashicorp", f.tail(s, end+9, "=")
	}
	if i := strings.Index(s[:min(len(s), 8)], "Q~"); i == 3 || i == 4 {
		if e := f.tail(s, 0, "~."); e >= 36 && e <= 42 {
			return "azure", e
		}
	}
	if classes[s[0]]&digit != 0 {
		return f.accountToken(s, end)
	}
	return "", 0
}

// accountToken returns the kind and length of a token that begins with the number of
// an account, and 0 if s begins with none. end is where the run of core bytes ends.
func (f *secretFinder) accountToken(s string, end int) (string, int) {
	digits := 0
	for digits < min(len(s), maxLook) && classes[s[digits]]&digit != 0 {
		digits++
	}
	switch {
	case digits >= 8 && digits <= 10 && digits < len(s) && s[digits] == ':' && strings.HasPrefix(s[digits+1:], "A"):
		if e := f.tail(s, digits+1, ""); e-digits-1 >= 34 {
			return "telegram", e
		}
	case digits >= 15 && digits <= 16 && digits < len(s) && s[digits] == '|': // facebook
		if e := f.tail(s, digits+1, ""); e-digits-1 >= 26 {
			return "facebook", e
		}
	case digits >= 15 && digits <= 25 && digits < end && s[digits] == '-' && end-digits >= 20: // twitter
		return "twitter", end
	}
	return "", 0
}

func hexOnly(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
