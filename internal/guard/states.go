package guard

import "strings"

// StatesRight reports whether a sentence states that something is right, or is no defect: “25 is right”, “not a bug”,
// “收运费是对的”, “这不算问题”. Such a sentence of a note on a false alarm is the verdict of that run. One of its clauses
// ends with such a phrase outside quotation marks, or begins with it as in “Correct as drawn”. Case does not matter.
func StatesRight(s string) bool {
	var c clause
	quoted := false
	for tag, phrase := range phrases(s) {
		switch tag {
		case ',', ';', ':', '.', '"':
			if !quoted && c.right() {
				return true
			}
			quoted = quoted != (tag == '"')
			c = clause{}
		default:
			c.tags, c.phrases = append(c.tags, tag), append(c.phrases, phrase)
		}
	}
	return !quoted && c.right()
}

// clause is the phrases of a clause with their tags.
type clause struct {
	tags    []byte
	phrases []string
}

// right reports whether a clause states that something is right or no defect.
func (c clause) right() bool {
	last := len(c.tags) - 1
	if last < 0 {
		return false
	}
	if last > 0 && c.isRight(0) && c.phrases[0] != "right" && c.tags[1] == 'v' {
		return true
	}
	switch c.tags[last] {
	case 'P', 'p':
		// “Top right” is a place.
		where := c.phrases[last] == "right" && last > 0 && !strings.ContainsRune("bR", rune(c.tags[last-1]))
		negated := last > 0 && c.tags[last-1] == 'N'
		return c.isRight(last) && !where && !negated
	case 'Q', 'e':
		_, yes := c.negation(last)
		return yes
	case 'E': // “the page reports no error” is not on the verdict, “is not an error” is
		at, yes := c.negation(last)
		calls := yes && strings.ContainsAny(string(c.tags[at:last]), "bt")
		return calls || yes && (strings.HasSuffix(c.phrases[at], "算") || strings.HasSuffix(c.phrases[at], "属"))
	}
	return false
}

// negation returns the place of a negation before a phrase, with only names, articles and forms of “be” between.
func (c clause) negation(of int) (at int, yes bool) {
	for at = of - 1; at >= 0 && at >= of-3; at-- {
		if c.tags[at] == 'N' {
			return at, true
		}
		if c.tags[at] != 0 && !strings.ContainsRune("btdi", rune(c.tags[at])) {
			break
		}
	}
	return 0, false
}

// isRight reports whether a phrase calls something right. Other phrases with its tag are about what is seen or done.
func (c clause) isRight(i int) bool {
	return (c.tags[i] == 'P' || c.tags[i] == 'p') && !strings.Contains(seenOrDone, "|"+c.phrases[i]+"|")
}

const seenOrDone = "|accepted|adequate|allowed|carried out|checked|complete|completed|done|equal to what|executed|" +
	"filled|fulfilled|genuine|match|matches|matching|met|not yet loaded|performed|positive|present|safe|seen|shown|" +
	"sufficient|tested|trustworthy|unchanged|verified|visited|work|works|cleared|green|it worked|passed|passes|passing|" +
	"succeeded|succeeds|success|successful|successfully|was found|yes|" +
	"做过|做过了|出现过|匹配|可用|好的|存在|完成|已做|已出现|已存在|已完成|已弹出|已执行|已显示|已核对|已检查|已满足|已验证|执行过|" +
	"显示过|有效|核对过|检查过|满足|看到了|看过|验证过|成功|及格|绿|绿的|绿色|绿灯|过了|过的|通过|已通过|均通过|皆通过|正面|肯定|"
