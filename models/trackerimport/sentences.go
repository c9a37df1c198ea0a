package trackerimport

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"switchyard/models"
)

// The sentences about data and settings of another tracker that Switchyard does not have, or has in another form.
const (
	HistoryStays     = "History stays where it is. Figures begin with the first click here."
	HistoryByLog     = "Figures begin with the first click here. Once the plan is applied, the log of clicks and conversions can be imported too. The costs of clicks are not imported, because the log does not name their currency."
	NoCloaking       = "Not imported: Switchyard does not show reviewers another page. The path is paused."
	TwoPages         = "This path had two pages in a row. The second was taken; link the first to it yourself."
	OnePayout        = "One payout per offer: the general one was taken."
	WeightsAsTheyAre = "Weights were taken as they stand. Suggestions and rules can change them by results here."
	NoTriggers       = "Broken pages are reported here, but nothing is replaced automatically."
	AlternativeOffer = "The alternative offer was left out. Add it as a path of its own behind this one."
	PaidPerClick     = "It is paid for each click. Here a payout belongs to a conversion, so none was taken."
	AllWeightsZero   = "Every weight was 0, so no visitor was sent there. The path is paused."
	NotReachable     = "Nothing of the path could be imported. It is paused; give it a destination."
)

// Hosted says that pages are files of the other tracker.
func Hosted(pages int) string {
	if pages == 1 {
		return "1 landing page is a file on the old tracker. Put it on a server and enter its address; until then the paths that lead there are paused."
	}
	return fmt.Sprintf("%d landing pages are files on the old tracker. Put them on a server and enter their addresses; until then the paths that lead there are paused.", pages)
}

// HostedOffer says that an offer has no address, because the other tracker serves the offer itself.
const HostedOffer = "The offer is a page or an action of the old tracker and has no address. Put it on a server and enter its address; until then the paths that lead there are paused."

// MoreParams says that a tracker has more parameters than there are sub-parameters here.
func MoreParams(last int) string {
	return fmt.Sprintf("sub%d to sub%d arrive and can be used in conditions and addresses as param.NAME, but are no columns of reports.", models.Subs+1, last)
}

// CapOnly says which of several caps was taken.
func CapOnly(others string) string {
	return fmt.Sprintf("Cap per day was taken; the cap %s was left out.", others)
}

// OtherPostback says that a campaign had a postback to its source that differs from the postback of the source.
func OtherPostback(campaign, url string) string {
	return fmt.Sprintf("The source's own postback was taken; campaign %s had another: %s", models.Shortened(campaign, 100), models.Shortened(url, 300))
}

// PeopleAnew says that users were left out, and that workspaces became groups.
func PeopleAnew(workspaces int) string {
	return fmt.Sprintf("Users were left out: invite them again. %d workspaces became groups.", workspaces)
}

// PerCampaign says that a filter of the other tracker counted the unique visitors of a path or of the whole tracker. Here the filter
// counts the unique visitors of the campaign.
func PerCampaign(what string) string {
	return fmt.Sprintf("The filter counted %s; here it counts unique visitors of the campaign. The path is paused: check it, then start it.", what)
}

// UseSecret says that postbacks were accepted from some addresses only.
const UseSecret = "Postbacks were accepted from listed addresses only. Set a secret at the network instead."

// FilterLost names a condition that has no counterpart. The path that had it is paused.
func FilterLost(name string, values []string) string {
	text := fmt.Sprintf("The filter %s", models.Shortened(name, 60))
	if len(values) > 0 {
		text += fmt.Sprintf(" (%s)", models.Shortened(strings.Join(values, ", "), 200))
	}
	return text + " has no counterpart here. The path is paused."
}

// InPath puts the name of a path before a sentence about it.
func InPath(path, sentence string) string {
	return fmt.Sprintf("Path %q: %s", models.Shortened(path, 60), sentence)
}

// UnknownCurrency says why an amount is refused: its currency does not exist, or is not named.
func UnknownCurrency(code string) string {
	if code == "" {
		return "Its amount has no currency. Set one at the old tracker and import again."
	}
	return fmt.Sprintf("%q is not a currency of ISO 4217. Amounts are never guessed: change it at the old tracker and import again.", models.Shortened(code, 20))
}

// ForeignMacroLeft says why an address is refused: it has a macro that is no token here.
func ForeignMacroLeft(macro, address string) string {
	return fmt.Sprintf("%s in %s is no token here. Replace it at the old tracker and import again.", models.Shortened(macro, 60), models.Shortened(address, 300))
}

// BadAddress says why an address is refused: visitors cannot be sent to it.
func BadAddress(address string, why error) string {
	return fmt.Sprintf("The address %q cannot be used: %s.", models.Shortened(address, 200), why)
}

// NewName says that a record has another name here, and why.
func NewName(old, name string) string {
	why := "because a name belongs to one record only"
	switch {
	case strings.TrimSpace(old) == "":
		why = "because it had no name"
	case utf8.RuneCountInString(old) > utf8.RuneCountInString(name):
		why = "because its name was too long"
	}
	return fmt.Sprintf("It is called %q here, %s.", models.Shortened(name, 80), why)
}

// CutText says that a text was too long.
func CutText(what string, limit int) string {
	return fmt.Sprintf("Only the first %d characters of the %s were taken.", limit, what)
}

// LeftOut says that disabled parts of a path were left out.
func LeftOut(what string) string { return what + " was disabled there and was left out." }

// Missing says that something that a record needs was not imported.
func Missing(what string) string { return what + " was not imported. Records that need it are paused." }

// NewLink says that a link has a different alias here, although the old link keeps working.
func NewLink(old, alias string) string {
	return fmt.Sprintf("The link /%s is /%s here. On the imported domains /%s keeps working.", models.Shortened(old, 100), alias, models.Shortened(old, 100))
}

// LongAnswer says that a page that the other tracker serves itself is too long.
func LongAnswer(limit int) string {
	return fmt.Sprintf("Its page has more than %d characters. Put it on a server and enter its address; the path is paused.", limit)
}

// OwnAction says that the other tracker treats visitors in a way that does not exist here.
func OwnAction(action string) string {
	return fmt.Sprintf("The action %s does not exist here. The path is paused; give it a destination.", models.Shortened(action, 60))
}
