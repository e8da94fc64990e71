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
var cues = map[string]cue{
	"phone": telephone, "telephone": telephone, "tel": telephone, "mobile": telephone, "cell": telephone, "cellphone": telephone, "fax": telephone, "call": telephone, "whatsapp": telephone,
	"born": birth, "birth": birth, "birthday": birth, "birthdate": birth, "dob": birth, "bday": birth,
	"zip": postal, "zipcode": postal, "postcode": postal, "postal": postal, "plz": postal,
	"account": number, "acct": number, "order": number, "invoice": number, "customer": number, "member": number, "membership": number, "passport": number,
	"license": number, "licence": number, "plate": number, "iban": number, "card": number, "tracking": number, "shipment": number, "parcel": number, "user": number,
	"username": number, "login": number, "ssn": number, "policy": number, "patient": number, "employee": number, "id": number, "ref": number, "reference": number,
	"ending": number, "payment": number, "ticket": number,
	"reservation": booking, "reservations": booking, "booking": booking, "bookings": booking, "confirmation": booking, "pnr": booking, "locator": booking,
}

// hanCues are the same in Chinese.
var hanCues = []struct {
	word string
	cue  cue
}{
	{"手机", telephone}, {"电话", telephone}, {"座机", telephone}, {"传真", telephone}, {"联系方式", telephone},
	{"出生", birth}, {"生日", birth}, {"生于", birth},
	{"邮编", postal}, {"邮政编码", postal},
	{"订单", number}, {"单号", number}, {"编号", number}, {"账号", number}, {"帐号", number}, {"账户", number}, {"卡号", number}, {"会员号", number}, {"工号", number},
	{"学号", number}, {"护照", number}, {"驾驶证", number}, {"驾照", number}, {"证件号", number}, {"身份证", number}, {"车牌", number}, {"用户名", number}, {"用户", number}, {"尾号", number}, {"微信", number},
	{"预订号", booking}, {"预订", booking}, {"确认号", booking},
}

// titles stand before a name: the honorific prefixes of vCard in common
// languages. They have a capital: 200 ms are none.
var titles = set("mr mrs ms mx dr prof professor sir madam herr frau señor señora señorita sr sra mme mlle monsieur madame signor signora")

// greetings and roles stand before a name too, and before other words.
var (
	greetings = set("dear hi hello hey sincerely regards attn attention cheers")
	roles     = set("miss user customer client passenger patient guest recipient sender cardholder contact employee member owner tenant applicant name named called buyer seller payee consignee traveller traveler resident")
)

// owners of a name are persons: my name is.
var owners = set("my your you his her their whose")

// particles stand within names, in small letters.
var particles = set("de la del da do dos das di du van von der den ten ter bin ibn al el le zu y e af av")

// functionWords begin sentences and are no part of a name: the closed classes of
// English, days and months.
var functionWords = set(`i you he she it we they the a an this that these those there here my your his her its our their if when while where what
who which how why and or but so not no yes please as at by for from in into of on to with without after before also any all each every both only then
is are was were be been do does did has have had can could will would shall should may might must
monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october november december
jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun`)

// functionWord reports whether a word is one of them, or contracted: You’ve, Let's.
func functionWord(w string) bool {
	w, tail, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(w), "’", "'"), "'")
	return functionWords[w] || contracted[tail]
}

var contracted = set("t ve ll re d m")

// elements are the things of a user interface that have a name: roles of WAI-ARIA
// 1.2 and what people call them.
var elements = set(`button link tab menu menuitem checkbox radio switch textbox combobox listbox slider heading dialog alert grid row column cell table
tree form field label page screen section panel banner toolbar tooltip dropdown input icon popup modal option item list header footer card`)

func set(words string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		out[w] = true
	}
	return out
}
