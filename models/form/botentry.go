package form

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/bind"
	"switchyard/models/botlist"
)

// BotEntryBody is the body of POST /bot-lists.
type BotEntryBody struct {
	ListType   string           `json:"list_type" required:"invalid_list_type" bad:"invalid_list_type" case:"lower" enum:"allow,deny"`
	Attribute  string           `json:"attribute" required:"invalid_attribute" bad:"invalid_attribute" case:"lower" enum:"ip,ip_range,asn,country,isp,user_agent,referrer,{subs}"`
	Operator   string           `json:"operator" bad:"invalid_operator" case:"lower" enum:"equals,contains,regex,in_cidr" default:"equals"`
	Value      json.RawMessage  `json:"value" is:"texts" doc:"a value or a list of up to 10,000 values; a visitor that matches one of them matches the entry"`
	Text       bind.Opt[string] `json:"text" doc:"instead of value: a text with one value in each line; text after a # is ignored"`
	CampaignID uuid.NullUUID    `json:"campaign_id" bad:"invalid_campaign" doc:"only this campaign; left out: all campaigns"`
	Note       string           `json:"note" trim:"true" maxLength:"500"`
	Everybody  bool             `json:"everybody" doc:"true: the entry may match all or most visitors; otherwise such an entry, for example 0.0.0.0/0, is refused"`
}

// Record returns the entry that the body describes.
func (b BotEntryBody) Record() (models.BotEntry, error) {
	e := models.BotEntry{
		ListType: b.ListType, Attribute: b.Attribute, Operator: b.Operator, Note: b.Note, CampaignID: b.CampaignID,
	}
	var place botlist.Place
	switch {
	case b.Text.Given() && len(b.Value) > 0:
		return e, models.Invalid("invalid_input", "value and text exclude each other: send one of them")
	case b.Text.Given():
		e.Value = linesOf(b.Text.Value)
		place = func(i int) string { return fmt.Sprintf("line %d", i+1) }
	default:
		var err error
		if e.Value, place, err = botValues(b.Value); err != nil {
			return e, err
		}
	}
	if err := botlist.Check(&e, place); err != nil {
		return e, err
	}
	if why := botlist.TooBroad(&e); why != "" && !b.Everybody {
		return e, models.Invalid("invalid_input", `the entry is for everybody: %s. If that is meant, send "everybody": true`, why)
	}
	return e, nil
}

// botValues parses a value or a list of values. A value is a text or a number. Error: value_required.
func botValues(raw json.RawMessage) (list models.BotValues, place botlist.Place, err error) {
	place = func(i int) string { return fmt.Sprintf("value[%d]", i) }
	items := []json.RawMessage{}
	if len(raw) > 0 && json.Unmarshal(raw, &items) != nil {
		items, place = []json.RawMessage{raw}, func(int) string { return "value" }
	}
	for i, item := range items {
		var text string
		var number json.Number
		switch {
		case string(item) == "null":
			return nil, nil, models.Invalid("value_required", "%s is null: a value is a text or a number", place(i))
		case json.Unmarshal(item, &text) == nil:
		case json.Unmarshal(item, &number) == nil:
			text = number.String()
		default:
			return nil, nil, models.Invalid("value_required", "%s is %.40s: a value is a text or a number", place(i), item)
		}
		list = append(list, text)
	}
	return list, place, nil
}

func linesOf(text string) (list models.BotValues) {
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		list = append(list, line)
	}
	return list
}
