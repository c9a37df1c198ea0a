package openapi

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"text/template"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"

	"switchyard/api/click/tag"
	"switchyard/models"
	"switchyard/models/bot"
	"switchyard/models/cond"
	"switchyard/models/flow"
	"switchyard/models/notification"
	"switchyard/models/postback"
	"switchyard/models/token"
)

// Tracking returns the page about tracking domains, in Markdown. It is made from the tables that the service itself uses.
var Tracking = sync.OnceValue(func() []byte {
	funcs := template.FuncMap{
		"cell": func(text string) string { return strings.ReplaceAll(text, "|", `\|`) },
		"json": func(v any) (string, error) { text, err := json.Marshal(v); return string(text), err },
	}
	t := template.Must(template.New("tracking.md.tmpl").Funcs(funcs).ParseFS(page, "page/*.md.tmpl"))
	var out bytes.Buffer
	err := t.Execute(&out, map[string]any{
		"Addresses": addresses, "Tokens": token.Catalog(), "Letters": token.DateLetters, "Forms": cond.Forms(),
		"MaxItems": cond.MaxItems, "MaxSlot": flow.MaxSlot, "Fields": postback.Fields(), "Words": postback.Words(), "MaxAnswer": postback.MaxAnswer,
		"Calls": tagCalls, "EventFields": tagFields, "MaxBody": tag.MaxBody, "MaxEvents": tag.MaxEvents,
		"Schemes": notification.All(), "MaxNotification": notification.MaxBody, "NotificationRate": notification.Rate,
		"MaxBrowserConversions": models.MaxBrowserConversions,
		"ClickParams":           append([]string{token.ClickID.String()}, clickAliases()...), "AdParams": models.AdArrivals,
		"Signals": slices.Collect(bot.All()), "TaggedBound": bot.TaggedBound,
		"Understood": understood(), "Keys": keyRows(),
		"JS": file("page/protect.js"), "PHP": file("page/protect.php"),
	})
	if err != nil {
		panic("openapi: tracking page: " + err.Error()) // the tables are constant
	}
	return out.Bytes()
})

func clickAliases() []string {
	all := token.Catalog()
	return all[slices.IndexFunc(all, func(e token.Entry) bool { return e.Name == token.ClickID.String() })].Aliases
}

func file(name string) string {
	text, err := page.ReadFile(name)
	if err != nil {
		panic(err) // the file is embedded
	}
	return string(text)
}

// trackingPage is Tracking as an HTML page.
var trackingPage = sync.OnceValue(func() []byte {
	var body bytes.Buffer
	if err := goldmark.New(goldmark.WithExtensions(extension.Table)).Convert(Tracking(), &body); err != nil {
		panic(err) // writing to a buffer does not fail
	}
	return []byte(strings.Replace(file("page/tracking.html"), "<main></main>", "<main>"+body.String()+"</main>", 1))
})
