package tree

import "slices"

// Translation holds the texts of an experience in its second language: English if Node.Lang is "zh", else Chinese.
// Check and Mistake are the translation of one lesson.
type Translation struct {
	Lesson      string   `json:"lesson"` // Lesson.ID of the translated lesson
	Title       string   `json:"title,omitempty"`
	Check       string   `json:"check"`
	Mistake     string   `json:"mistake,omitempty"`
	AppliesWhen []string `json:"appliesWhen,omitempty"`
}

// Texts returns the title, check, mistake and conditions of o, in this order; nil if o is nil.
func (o *Translation) Texts() []string {
	if o == nil {
		return nil
	}
	return append([]string{o.Title, o.Check, o.Mistake}, o.AppliesWhen...)
}

// In returns n in the language lang: a copy with the texts of Content.Other if they are in lang and n still has the
// lesson that they translate, else n itself. NotWhen and the Instead of that lesson have no translation, so they are
// empty in the copy.
func (n *Node) In(lang string) *Node {
	o := n.Content.Other
	if o == nil || lang != otherLang(n.Lang) {
		return n
	}
	at := slices.IndexFunc(n.Content.Lessons, func(l Lesson) bool { return l.ID == o.Lesson })
	if at < 0 { // trees were merged, and the lesson is another one now
		return n
	}
	c := n.Clone()
	c.Lang, c.Content.Other = lang, nil
	c.Content.Title, c.Content.Description, c.Content.Guidance = o.Title, o.Mistake, o.Check
	c.Content.AppliesWhen, c.Content.NotWhen = slices.Clone(o.AppliesWhen), nil
	l := &c.Content.Lessons[at]
	l.Check, l.Mistake, l.Instead = o.Check, o.Mistake, ""
	return &c
}

func otherLang(lang string) string {
	if lang == "zh" {
		return "en"
	}
	return "zh"
}
