// Translates into German what the Copilot suggests and what it has done. The service stores complete English sentences.
import { translate, type Form } from '../forms.ts'

const kinds: Record<string, string> = {
  offer: 'Offer',
  'landing page': 'Landingpage',
  path: 'Pfad',
  campaign: 'Kampagne',
  network: 'Netzwerk',
}
const kind = (name: string) => kinds[name] ?? name
const other: Record<string, string> = { offer: 'Kein anderes Offer', 'landing page': 'Keine andere Landingpage' }
const things: Record<string, string> = { provider: 'Provider', device: 'Gerät', country: 'Land', hour: 'Stunde' }
const many: Record<string, string> = { providers: 'Provider', devices: 'Geräte', countries: 'Länder', hours: 'Stunden' }
// amountOf returns a number and its noun in German: '2' and 'sub1 values' become '2 Werte von Sub 1'.
const amountOf = (n: string, what: string) => {
  const sub = /^sub(\d+) values?$/.exec(what)
  return `${n} ${sub ? (n === '1' ? `Wert von Sub ${sub[1]}` : `Werte von Sub ${sub[1]}`) : (things[what] ?? many[what] ?? what)}`
}
const day = (iso: string) => iso.split('-').reverse().join('.')
const and = (list: string) => list.replace(/ and (\d+) more$/, ' und $1 weitere')

const titles: Form[] = [
  [/^Raise the cap of offer (“.*”) to (\d+)$/, (o, n) => `Limit von Offer ${o} auf ${n} erhöhen`],
  [/^Lower the cap of offer (“.*”) to (\d+)$/, (o, n) => `Limit von Offer ${o} auf ${n} senken`],
  [/^Traffic source (“.*”) sends many bots$/, s => `Traffic-Quelle ${s} schickt viele Bots`],
  [/^Traffic source (“.*”) never fills (\S+)$/, (s, sub) => `Traffic-Quelle ${s} füllt ${sub} nie aus`],
  [/^(?:Nobody|No visitor) clicks on from landing page (“.*”)$/, l => `Von Landingpage ${l} klickt niemand weiter`],
  [/^Postbacks of network (“.*”) find no click$/, n => `Postbacks von Netzwerk ${n} finden keinen Klick`],
  [/^The registration of (\S+) ends on (\S+)$/, (d, at) => `Die Registrierung von ${d} endet am ${day(at)}`],
  [/^The HTTPS certificate of (\S+) ends on (\S+)$/, (d, at) => `Das HTTPS-Zertifikat von ${d} endet am ${day(at)}`],
  [/^Campaigns (“.*”) and (“.*”) are the same$/, (a, b) => `Kampagnen ${a} und ${b} sind gleich`],
  [
    /^(offer|landing page) (“.*”) is in rotation although its link does not work$/,
    (k, n) => `${kind(k)} ${n} ist in der Rotation, obwohl der Link nicht geht`,
  ],
  [
    /^Pause (path|offer|landing page) (“.*”): (“.*”) earns more (?:a|per) click$/,
    (k, a, b) => `${kind(k)} ${a} pausieren: ${b} verdient mehr je Klick`,
  ],
  [/^Send more visitors to (path|offer|landing page) (“.*”)$/, (k, n) => `Mehr Besucher zu ${kind(k)} ${n}`],
  [
    /^Block (\d+) (.+?) of (“.*”) (here and at|at) the traffic source: the clicks cost more than they return$/,
    (n, what, c, where) =>
      `${amountOf(n, what)} von ${c} ${where === 'at' ? 'bei der Traffic-Quelle' : 'hier und bei der Traffic-Quelle'} sperren: die Klicks kosten mehr, als sie bringen`,
  ],
  [/^Pause (campaign|offer) (\S.*)$/, (k, n) => `${kind(k)} ${n} pausieren`],
  [/^Pause path (.+) of campaign (.+)$/, (p, c) => `Pfad ${p} von Kampagne ${c} pausieren`],
  [/^Set weights of paths of campaign (“.*?”|\S+): (.*)$/, (c, list) => `Gewichte der Pfade von Kampagne ${c} setzen: ${and(list)}`],
  [
    /^Set weights in path (.+) of campaign (“.*?”|\S+): (.*)$/,
    (p, c, list) => `Gewichte in Pfad ${p} von Kampagne ${c} setzen: ${and(list)}`,
  ],
  [/^Replace (.+) by (.+) in path (.+) of campaign (.+)$/, (a, b, p, c) => `${a} durch ${b} ersetzen, in Pfad ${p} von Kampagne ${c}`],
  [/^Keep (\S+) (.+) out of the paths of campaign (.+)$/, (d, list, c) => `${d} ${and(list)} von den Pfaden der Kampagne ${c} fernhalten`],
  [/^Count (\S+) (.+) as bots in campaign (.+)$/, (d, list, c) => `${d} ${and(list)} in Kampagne ${c} als Bots zählen`],
  [/^Remove the cap of offer (.+)$/, o => `Limit von Offer ${o} entfernen`],
  [/^Set the cap of offer (.+) to (\d+) conversions a day$/, (o, n) => `Limit von Offer ${o} auf ${n} Conversions am Tag setzen`],
  [
    /^Read (\S+) from parameter (.+) in postbacks of network (.+)$/,
    (f, p, n) => `${f} aus Parameter ${p} der Postbacks von Netzwerk ${n} lesen`,
  ],
]

const details: Form[] = [
  [
    /^It reached its cap of (\d+) conversions on (\d+) of the last (\d+) days, and visitors went elsewhere\. Agree upon .*$/,
    (cap, days, all) =>
      `Es erreichte sein Limit von ${cap} Conversions an ${days} der letzten ${all} Tage, und Besucher gingen woandershin. Das höhere Limit zuerst mit dem Netzwerk absprechen.`,
  ],
  [
    /^The network refused (\d+) of (\d+) conversions\. On (\d+) days it refused many of them, and approved (\d+) a day \(median\)\.$/,
    (n, all, days, approved) =>
      `Das Netzwerk lehnte ${n} von ${all} Conversions ab. An ${days} Tagen lehnte es viele davon ab und bestätigte ${approved} am Tag (Median).`,
  ],
  [
    /^(\d+) % of its clicks (?:are bots'|come from bots) \((\d+) to (\d+) %\)\. Ask it .*$/,
    (p, low, high) =>
      `${p} % der Klicks sind von Bots (${low} bis ${high} %). Das Geld dafür zurückverlangen und die Platzierungen nach Bot-Klicks ansehen.`,
  ],
  [
    /^None of its (\d+) clicks came with (\S+)\. Check that the link at the source has the parameter with its macro (.*)\.$/s,
    (n, sub, macro) =>
      `Keiner der ${n} Klicks brachte ${sub} mit. Prüfen, ob der Link bei der Quelle den Parameter mit dem Makro ${macro} hat.`,
  ],
  [
    /^(\d+) visitors of path (“.*”) were sent (?:there|to the page,) and none came to an offer\. Check .*$/s,
    (n, p) =>
      `${n} Besucher von Pfad ${p} wurden dorthin geschickt, und keiner kam zu einem Offer. Prüfen, ob der Link der Seite der Click-out-Link ist.`,
  ],
  [/^Compare the postback's address at the network .*$/, () => 'Die Postback-URL beim Netzwerk mit der vergleichen, die hier steht.'],
  [
    /^The (?:id of a click is|click id is now) read from (“.*?”)(?: by now)?\. .*$/s,
    p => `Die Klick-ID wird inzwischen aus ${p} gelesen. Die früheren Postbacks neu einlesen.`,
  ],
  [
    /^(\d+) of the (\d+) (?:postbacks )?that were (?:looked at|examined) have (?:the id of a click|a click id) in (“.*”)\. .*$/s,
    (n, all, p) => `${n} der ${all} angesehenen Postbacks haben die Klick-ID in ${p}. Sie von dort lesen, dann die Postbacks neu einlesen.`,
  ],
  [
    /^Renew the name where it was registered, .*$/,
    () => 'Den Namen beim Registrar verlängern oder die Kampagnen auf eine andere Domain umziehen.',
  ],
  [
    /^The certificate was not renewed\. .*$/,
    () => 'Das Zertifikat wurde nicht erneuert. Es erneuern oder die Kampagnen auf eine andere Domain umziehen.',
  ],
  [
    /^They have the same traffic source and the same flow, .*$/,
    () =>
      'Beide haben dieselbe Traffic-Quelle und denselben Flow, also lernt jede nur von der Hälfte der Besucher. Ein Link genügt für beide.',
  ],
  [
    /^Path (“.*”) sends visitors there: (.*)\. No other (offer|landing page) of the path could take them\.$/s,
    (p, why, k) => `Pfad ${p} schickt Besucher dorthin: ${why}. ${other[k]} des Pfads könnte sie nehmen.`,
  ],
  [
    /^Path (“.*”) sends visitors there: (.*)\. (“.*”) (can take its place|takes them)\.$/s,
    (p, why, n, how) =>
      `Pfad ${p} schickt Besucher dorthin: ${why}. ${n} ${how === 'takes them' ? 'nimmt sie' : 'kann den Platz einnehmen'}.`,
  ],
  [
    /^(“.*”) earned (\S+) (?:a|per) click, (“.*”) (\S+)\. (?:Its visitors|The visitors of .*) go to the others\.$/s,
    (a, x, b, y) => `${a} verdiente ${x} je Klick, ${b} ${y}. Die Besucher gehen zu den anderen.`,
  ],
  [
    /^Shares by the probability of being the best: (.*)\.$/s,
    list => `Anteile nach der Wahrscheinlichkeit, am besten zu sein: ${list.replace(/” from (\d+) to (\d+) %/g, '” von $1 auf $2 %')}.`,
  ],
  [
    /^(\d+) (.+?) cost (\S+) (\S+) and returned (\S+): (.*)\. ((?:Its visitors|Visitors with these values) count|The default path takes|Block (?:it there|this at)).*$/s,
    (n, what, cost, currency, back, list, then) =>
      `${amountOf(n, what)}: ${cost} ${currency} Kosten, ${back} zurück: ${and(list)}. ${
        then[0] === 'B'
          ? 'Das geht nur bei der Traffic-Quelle.'
          : `${then[0] === 'T' ? 'Der Standardpfad nimmt diese Besucher, und sie' : 'Diese Besucher zählen dann als Bots und'} kosten weiter. Geld spart es, wenn auch die Traffic-Quelle sperrt.`
      }`,
  ],
]

// translateSuggestion translates a title or a detail into German.
export const translateSuggestion = (text: string) => translate([...titles, ...details], text).replace(/“([^“”]*)”/g, '„$1“')
