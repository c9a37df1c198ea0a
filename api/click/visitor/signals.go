package visitor

import "switchyard/models/bot"

// kind is the sort of client that a user agent names.
type kind uint8

const (
	human kind = iota
	crawler
	linkPreview
	aiCrawler
	httpLibrary
	headless
	empty
)

var kindSignals = [...]bot.Signals{
	human: 0, crawler: bot.DeclaredBot, linkPreview: bot.LinkPreview, aiCrawler: bot.AICrawler, httpLibrary: bot.HTTPLibrary,
	headless: bot.Headless, empty: bot.EmptyUserAgent,
}
