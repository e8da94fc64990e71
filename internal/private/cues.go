package private

import "strings"

// longestCue bounds which words are looked up.
const longestCue = 14

// cue is what a word says of the number behind it.
type cue int

// The cues.
const (
	none      cue = iota
	telephone     // a telephone number
	birth         // a date of birth
	postal        // a postal code
	number        // the number of an account, an order, a card, a document
	booking       // the code of a booking, which may be letters alone
	cueCount
)

// cues are words before numbers. They are the fields of personal data that forms
// have: the autofill names of HTML (WHATWG, "tel", "bday", "postal-code",
// "cc-number", "username"), the properties of vCard (RFC 6350) and the examples of
// personal information in GB/T 35273 Annex A.
var cues = byWord(map[cue]string{
	telephone: "phone telephone tel mobile cell cellphone fax call whatsapp",
	birth:     "born birth birthday birthdate dob bday",
	postal:    "zip zipcode postcode postal plz",
	number: `account acct order invoice customer member membership passport license licence plate iban card tracking
		shipment parcel user username login ssn policy patient employee id ref reference ending payment ticket`,
	booking: "reservation reservations booking bookings confirmation pnr locator",
})

// hanCues are the same in Chinese, by their first character.
var hanCues = func() map[rune][]hanCue {
	out := map[rune][]hanCue{}
	for w, c := range byWord(map[cue]string{
		telephone: "手机 电话 座机 传真 联系方式",
		birth:     "出生 生日 生于",
		postal:    "邮编 邮政编码",
		number:    "订单 单号 编号 账号 帐号 账户 卡号 会员号 工号 学号 护照 驾驶证 驾照 证件号 身份证 车牌 用户名 用户 尾号 微信",
		booking:   "预订号 预订 确认号",
	}) {
		out[firstRune(w)] = append(out[firstRune(w)], hanCue{w, c})
	}
	return out
}()

type hanCue struct {
	word string
	cue  cue
}

func byWord(cues map[cue]string) map[string]cue {
	out := map[string]cue{}
	for c, words := range cues {
		for w := range strings.FieldsSeq(words) {
			out[w] = c
		}
	}
	return out
}

// titles stand before a name: the honorific prefixes of vCard in common
// languages. They have a capital: 200 ms are none.
var titles = set("mr mrs ms mx dr prof professor sir madam herr frau señor señora señorita sr sra " +
	"mme mlle monsieur madame signor signora")

// greetings and roles stand before a name too, and before other words.
var (
	greetings = set("dear hi hello hey sincerely regards attn attention cheers")
	roles     = set("miss user customer client passenger patient guest recipient sender cardholder contact " +
		"employee member owner tenant applicant name named called buyer seller payee consignee " +
		"traveller traveler resident")
)

// owners of a name are persons: my name is.
var owners = set("my your you his her their whose")

// particles stand within names, in small letters.
var particles = set("de la del da do dos das di du van von der den ten ter bin ibn al el le zu y e af av")

// functionWords begin sentences and are no part of a name: the closed classes of
// English, days and months.
var functionWords = set(`i you he she it we they the a an this that these those there here
my your his her its our their if when while where what who which how why and or but so not no yes please
as at by for from in into of on to with without after before also any all each every both only then
is are was were be been do does did has have had can could will would shall should may might must
monday tuesday wednesday thursday friday saturday sunday
january february march april june july august september october november december
jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun`)

// functionWord reports whether a word is one of them, or contracted: You’ve, Let's.
func functionWord(w string) bool {
	w, tail, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(w), "’", "'"), "'")
	return functionWords[w] || contracted[tail]
}

var contracted = set("t ve ll re d m")

// elements are the things of a user interface that have a name: roles of WAI-ARIA
// 1.2 and what people call them.
var elements = set(`button link tab menu menuitem checkbox radio switch textbox combobox listbox slider
heading dialog alert grid row column cell table tree form field label page screen section panel banner
toolbar tooltip dropdown input icon popup modal option item list header footer card`)

func set(words string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		out[w] = true
	}
	return out
}
