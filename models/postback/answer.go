package postback

import "strings"

// MaxAnswer is the maximum number of characters in the text of an answer to a postback.
const MaxAnswer = 200

// answerParam is the parameter in which a postback states the text that it wants as its answer.
const answerParam = "return"

// ValidAnswer reports whether a text may be the answer to a postback: printable ASCII characters without < and >, so that no browser
// reads it as a page.
func ValidAnswer(text string) bool {
	return len(text) <= MaxAnswer && strings.IndexFunc(text, func(r rune) bool { return r < ' ' || r > '~' || r == '<' || r == '>' }) < 0
}

// Answer returns the text with which a postback wants to be answered: the value of the parameter "return", or else the network's
// own text. The parameter does not count if its text is not valid, or if the network sends one of its fields in this parameter.
func Answer(params map[string]string, n Network) string {
	for field := range n.Params {
		if n.ownParam(field) == answerParam {
			return n.AnswerText
		}
	}
	if text := strings.TrimSpace(params[answerParam]); text != "" && ValidAnswer(text) {
		return text
	}
	return n.AnswerText
}
