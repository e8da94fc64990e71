package private

// longestCue bounds which words are looked up.
const longestCue = 14

// cues are words before numbers. They are the fields of personal data that forms
// have: the autofill names of HTML (WHATWG, "tel", "bday", "postal-code",
// "cc-number", "username"), the properties of vCard (RFC 6350) and the examples of
// personal information in GB/T 35273 Annex A.
//
//	p telephone · b birth · z postal code · n a number of a person · k of a booking
var cues = map[string]byte{
	"phone": 'p', "telephone": 'p', "tel": 'p', "mobile": 'p', "cell": 'p', "cellphone": 'p', "fax": 'p', "call": 'p', "whatsapp": 'p',
	"born": 'b', "birth": 'b', "birthday": 'b', "birthdate": 'b', "dob": 'b', "bday": 'b',
	"zip": 'z', "zipcode": 'z', "postcode": 'z', "postal": 'z', "plz": 'z',
	"account": 'n', "acct": 'n', "order": 'n', "invoice": 'n', "customer": 'n', "member": 'n', "membership": 'n', "passport": 'n',
	"license": 'n', "licence": 'n', "plate": 'n', "iban": 'n', "card": 'n', "tracking": 'n', "shipment": 'n', "parcel": 'n', "user": 'n',
	"username": 'n', "login": 'n', "ssn": 'n', "policy": 'n', "patient": 'n', "employee": 'n', "id": 'n', "ref": 'n', "reference": 'n',
	"ending": 'n', "payment": 'n', "ticket": 'n',
	"reservation": 'k', "booking": 'k', "confirmation": 'k', "pnr": 'k', "locator": 'k',
}

// hanCues are the same in Chinese.
var hanCues = []struct {
	word string
	cue  byte
}{
	{"手机", 'p'}, {"电话", 'p'}, {"座机", 'p'}, {"传真", 'p'}, {"联系方式", 'p'},
	{"出生", 'b'}, {"生日", 'b'}, {"生于", 'b'},
	{"邮编", 'z'}, {"邮政编码", 'z'},
	{"订单", 'n'}, {"单号", 'n'}, {"编号", 'n'}, {"账号", 'n'}, {"帐号", 'n'}, {"账户", 'n'}, {"卡号", 'n'}, {"会员号", 'n'}, {"工号", 'n'},
	{"学号", 'n'}, {"护照", 'n'}, {"驾驶证", 'n'}, {"驾照", 'n'}, {"证件号", 'n'}, {"身份证", 'n'}, {"车牌", 'n'}, {"用户名", 'n'}, {"用户", 'n'}, {"尾号", 'n'}, {"微信", 'n'},
	{"预订号", 'k'}, {"预订", 'k'}, {"确认号", 'k'},
}

// titles stand before a name: the honorific prefixes of vCard in common languages.
var titles = set("mr mrs ms mx miss dr prof professor sir madam herr frau señor señora señorita sr sra mme mlle monsieur madame signor signora")

// greetings and roles stand before a name too, and before other words.
var (
	greetings = set("dear hi hello hey sincerely regards attn attention cheers")
	roles     = set("user customer client passenger patient guest recipient sender cardholder contact employee member owner tenant applicant name named called buyer seller payee consignee traveller traveler resident")
)

// particles stand within names, in small letters.
var particles = set("de la del da do dos das di du van von der den ten ter bin ibn al el le zu y e af av")

// functionWords begin sentences and are no part of a name: the closed classes of
// English, days and months.
var functionWords = set(`i you he she it we they the a an this that these those there here my your his her its our their if when while where what
who which how why and or but so not no yes please as at by for from in into of on to with without after before also any all each every both only then
is are was were be been do does did has have had can could will would shall should may might must
monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october november december
jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun`)

// elements are the things of a user interface that have a name: roles of WAI-ARIA
// 1.2 and what people call them.
var elements = set(`button link tab menu menuitem checkbox radio switch textbox combobox listbox slider heading dialog alert grid row column cell table
tree form field label page screen section panel banner toolbar tooltip dropdown input icon popup modal option item list header footer card`)

func set(words string) map[string]bool {
	out := map[string]bool{}
	from := -1
	for i := 0; i <= len(words); i++ {
		if i == len(words) || words[i] == ' ' || words[i] == '\n' {
			if from >= 0 {
				out[words[from:i]] = true
			}
			from = -1
		} else if from < 0 {
			from = i
		}
	}
	return out
}
