package private

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// fields say what a value is: names of autofill (WHATWG HTML), of vCard (RFC
// 6350) and of schema.org Person and PostalAddress, and what tables call them;
// letters alone, in small ones.
var fields = map[string]Kind{
	"firstname": Name, "lastname": Name, "givenname": Name, "familyname": Name, "middlename": Name,
	"additionalname": Name, "surname": Name, "fullname": Name, "realname": Name, "contactname": Name,
	"recipientname": Name, "customername": Name, "passengername": Name, "cardholder": Name,
	"cardholdername": Name, "ccname": Name, "patientname": Name, "username": Name, "nickname": Name,
	"姓名": Name, "联系人": Name, "收货人": Name, "收件人": Name, "乘客": Name, "持卡人": Name, "患者": Name,
	"address": Address, "addressline": Address, "street": Address, "streetaddress": Address,
	"streetname": Address, "city": Address, "addresslocality": Address, "zip": Address, "zipcode": Address,
	"postalcode": Address, "postcode": Address, "shippingaddress": Address, "billingaddress": Address, "pobox": Address,
	"地址": Address, "住址": Address, "收货地址": Address, "家庭住址": Address, "详细地址": Address, "邮编": Address,
	"userid": Number, "orderid": Number, "orderids": Number, "ordernumber": Number, "orderno": Number,
	"accountid": Number, "accountnumber": Number, "account": Number, "customerid": Number, "memberid": Number,
	"reservationid": Number, "bookingid": Number, "confirmationnumber": Number, "paymentid": Number,
	"paymentmethodid": Number, "cardnumber": Number, "ccnumber": Number, "iban": Number, "ssn": Number,
	"passport": Number, "passportnumber": Number, "licenseplate": Number, "plate": Number, "trackingnumber": Number,
	"订单号": Number, "账号": Number, "卡号": Number, "身份证号": Number, "身份证": Number, "护照号": Number,
	"车牌号": Number, "会员号": Number, "工号": Number, "学号": Number,
	"phone": Phone, "phonenumber": Phone, "tel": Phone, "telephone": Phone, "mobile": Phone,
	"手机": Phone, "手机号": Phone, "电话": Phone, "联系电话": Phone,
	"dob": Date, "birthdate": Date, "dateofbirth": Date, "birthday": Date, "bday": Date, "出生日期": Date, "生日": Date,
}

// roleFields hold a name or another word: "customer": "Premium".
var roleFields = set("contact recipient customer passenger patient 客户 用户")

// bookingFields hold a code that may be letters alone.
var bookingFields = set("reservationid bookingid confirmationnumber")

// whole finds a value that is what its field says, as a whole.
func (p *Redaction) whole(field, s string) (find, bool) {
	const most = 200
	if field == "" || s == "" || len(s) > most || s[0] == '[' {
		return find{}, false
	}
	field = strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return r
		}
		return -1
	}, field))
	kind := fields[field]
	if roleFields[field] {
		kind = Name
	}
	x := find{to: len(s), kind: kind}
	switch kind {
	case Name:
		if roleFields[field] {
			return x, looksNamed(s) && p.rareWords(s)
		}
		return x, looksNamed(s)
	case Address:
		return x, !isHan(s) && capitalWords(s) || countDigits(s) > 0
	case Number:
		return x, countDigits(s) > 0 && len(s) >= 4 || bookingFields[field] && locator(s)
	case Phone:
		return x, countDigits(s) >= 6
	case Date:
		return x, dated(s) || countDigits(s) >= 6
	}
	return x, false
}

// looksNamed reports whether a value is written as a name is, not as "missing".
func looksNamed(s string) bool {
	if isHan(s) {
		f := personFinder{s: s}
		return f.hanName(0) == len(s) && utf8.RuneCountInString(s) > 1
	}
	return capitalWords(s)
}

// capitalWords reports whether all words of s have a capital, but particles.
func capitalWords(s string) bool {
	n := 0
	for w := range strings.FieldsSeq(s) {
		w = strings.Trim(w, ".,")
		switch {
		case w == "" || particles[w]:
		case capitalised(w) && !functionWord(w), len(w) == 1 && w >= "A" && w <= "Z":
			n++
		default:
			return false
		}
	}
	return n > 0
}
