// The German texts of a campaign's check. `words.of` has the sentences about each finding, by the finding's code.
import type { words as english } from '../en/check.ts'
import { counted } from '../words.ts'

const of = counted('de')

export const words: typeof english = {
  title: name => `Prüfung von ${name}`,
  live: 'Live schalten',
  liveAnyway: 'Trotzdem live schalten',
  again: 'Erneut prüfen',
  back: 'Zurück zur Prüfung',
  allFine: 'Alles in Ordnung.',
  allFineMore: 'Alles wurde geprüft.',
  fine: 'In Ordnung',
  looked: ago => `geprüft ${ago}`,
  leftOff: (n, area) => `${area}: ${of(n, 'weiterer Befund', 'weitere Befunde')}`,
  never: 'nie',
  mending: 'Einen Moment …',
  unknownMore: 'Das wurde noch nicht geprüft und ist vielleicht nicht in Ordnung.',
  states: { problem: 'Probleme', unknown: 'Nicht bekannt', warning: 'Einen Blick wert' },
  mends: { verify_domain: 'Domain prüfen', check_link: 'Jetzt prüfen', resume: 'Fortsetzen', open: 'Öffnen' },
  areas: {
    link: 'Tracking-Link',
    destinations: 'Ziele',
    macros: 'Tokens',
    source: 'Traffic-Quelle',
    cost: 'Kosten',
    postbacks: 'Postbacks',
    payout: 'Payout',
    shares: 'Pfade',
    fallback: 'Ausweich-URL',
    bots: 'Bot-Filter',
    caps: 'Limits',
    rates: 'Wechselkurse',
    landers: 'Landingpages',
    tag: 'Seiten-Tag',
  },
  values: { 'landing page': 'keine Landingpage', destination: 'kein Ziel' },
  of: {
    domain_unverified: {
      says: 'Die Domain {name} ist nicht bestätigt, deshalb funktioniert kein Link darauf.',
      costs: 'Jeder bezahlte Besucher geht verloren.',
      does: 'Die DNS-Einträge setzen, die bei der Domain stehen, und die Domain erneut prüfen.',
    },
    domain_elsewhere: {
      says: 'Die Domain {name} führt woandershin (Stand: {at}).',
      costs: 'Jeder bezahlte Besucher geht verloren.',
      does: 'Die DNS-Einträge setzen, die bei der Domain stehen, und die Domain erneut prüfen.',
    },
    domain_unsafe: {
      says: 'Die Domain {name} steht seit {at} auf einer Liste unsicherer Adressen.',
      costs: 'Browser warnen die Besucher, und Plattformen lehnen die Anzeige ab.',
      does: 'Die Kampagne auf eine andere Domain umstellen.',
    },
    certificate_failing: {
      says: 'Die Domain {name} antwortet nicht über HTTPS mit gültigem Zertifikat (Stand: {at}).',
      costs: 'Browser warnen die Besucher, und die meisten kehren um.',
      does: 'Bei der Domain nachsehen, was dem Zertifikat fehlt, und die Domain erneut prüfen.',
    },
    certificate_ending: {
      says: 'Das Zertifikat von {name} endet am {value} und wurde nicht erneuert.',
      costs: 'Ab diesem Tag warnen Browser die Besucher.',
      does: 'Bei der Domain nachsehen, was dem Zertifikat fehlt.',
    },
    registration_ending: {
      says: 'Die Registrierung von {name} endet am {value}.',
      costs: 'Ab diesem Tag funktioniert kein Link darauf, und andere können den Namen übernehmen.',
      does: 'Den Namen beim Registrar verlängern.',
    },
    domain_unlooked: {
      says: 'Ob {name} über HTTPS hierher führt, ist nicht bekannt. Letzte Prüfung: {at}.',
      costs: 'Wenn nicht, geht jeder bezahlte Besucher verloren.',
      does: 'Die Domain jetzt prüfen.',
    },
    destination_broken: {
      says: '{name} funktioniert nicht (Stand: {at}).',
      costs: 'Besucher, die dorthin geschickt werden, gehen verloren.',
      does: 'Die URL korrigieren oder den Eintrag pausieren und dann erneut prüfen.',
    },
    destination_unsafe: {
      says: '{name} steht seit {at} auf einer Liste unsicherer Adressen.',
      costs: 'Browser warnen die Besucher, und Plattformen lehnen die Anzeige ab.',
      does: 'Eine andere URL verwenden.',
    },
    path_without_destination: {
      says: 'Der Pfad {path} hat {value} für seine Besucher.',
      costs: 'Seine Besucher bekommen den nächsten Pfad, die Ausweich-URL oder einen Fehler.',
      does: 'Dem Pfad ein aktives Ziel mit Gewicht geben.',
    },
    handover_closed: {
      says: 'Der Pfad {path} übergibt Besucher an die Kampagne {name}, die nicht aktiv ist.',
      costs: 'Seine Besucher bekommen die Ausweich-URL oder einen Fehler.',
      does: 'Diese Kampagne aktivieren oder die Besucher woandershin schicken.',
    },
    destination_failing: {
      says: '{name} hat bei der letzten Prüfung am {at} nicht funktioniert.',
      costs: 'Besucher, die dorthin geschickt werden, gehen vielleicht verloren.',
      does: 'Erneut prüfen.',
    },
    destination_closed: {
      says: '{name} im Pfad {path} ist pausiert, deshalb kommt niemand dorthin.',
      costs: 'Der Anteil geht an die anderen Ziele des Pfads.',
      does: 'Fortsetzen oder aus dem Pfad nehmen.',
    },
    destination_gone: {
      says: 'Der Pfad {path} hat ein Ziel, das es nicht mehr gibt.',
      costs: 'Der Anteil geht an die anderen Ziele des Pfads.',
      does: 'Es aus dem Pfad nehmen.',
    },
    destination_unchecked: {
      says: 'Ob {name} antwortet, ist nicht bekannt. Letzte Prüfung: {at}.',
      costs: 'Wenn nicht, gehen Besucher verloren, die dorthin geschickt werden.',
      does: 'Jetzt prüfen.',
    },
    address_unchecked: {
      says: 'Niemand prüft, ob {value} antwortet, denn die URL ist eingetippt und weder Offer noch Landingpage.',
      costs: 'Wenn nicht, gehen Besucher verloren, die dorthin geschickt werden.',
      does: 'Die URL einmal selbst öffnen oder ein Offer daraus machen.',
    },
    macro_foreign: {
      says: 'In der URL von {name} steht {value}, das ein anderes Programm ausfüllen würde.',
      costs: 'Die Seite bekommt den Text selbst statt eines Werts.',
      does: 'Dafür ein Token von hier eintragen, etwa {clickid}.',
    },
    macro_unknown: {
      says: 'In der URL von {name} steht {value}, und ein solches Token gibt es nicht.',
      costs: 'Die Seite bekommt den Text selbst statt eines Werts.',
      does: 'Den Namen des Tokens korrigieren.',
    },
    click_id_missing: {
      says: 'In der URL von {name} fehlt {clickid}.',
      costs: 'Das Netzwerk kann nicht sagen, welcher Klick konvertiert hat. Seine Conversions zählen nirgends.',
      does: 'Den Parameter ergänzen, in dem das Netzwerk die Klick-ID annimmt.',
    },
    click_id_elsewhere: {
      says: 'Das Netzwerk nimmt die Klick-ID in {value} an, und in der URL von {name} steht {clickid} woanders.',
      costs: 'Schickt das Netzwerk die Klick-ID von dort nicht zurück, finden seine Conversions keinen Klick.',
      does: '{clickid} in diesen Parameter schreiben. Oder es entfernen: dann kommt der Parameter automatisch dazu.',
    },
    postback_placeholder: {
      says: 'In der Postback-URL von {name} steht noch {value}, wo ein eigener Wert hingehört.',
      costs: 'Die Quelle erfährt von keiner Conversion.',
      does: 'Den eigenen Wert dafür eintragen.',
    },
    postback_macro: {
      says: 'In der Postback-URL von {name} steht {value}, und ein solches Token gibt es nicht.',
      costs: 'Die Quelle bekommt einen leeren Parameter.',
      does: 'Den Namen des Tokens korrigieren.',
    },
    sub_unfilled: {
      says: 'Die Quelle {name} füllt {value} nie aus (Stand: {at}).',
      costs: 'Berichte nach diesem Parameter bleiben leer, und keine Platzierung lässt sich danach sperren.',
      does: 'Das Makro des Parameters korrigieren und den Link neu bei der Quelle einfügen.',
    },
    source_missing: {
      says: 'Die Kampagne hat keine Traffic-Quelle.',
      costs: 'Platzierungen, Kosten und die Klick-ID der Quelle bleiben unbekannt.',
      does: 'Die Quelle wählen.',
    },
    subs_missing: {
      says: 'Die Quelle {name} hat keinen Parameter für Platzierungen.',
      costs: 'Gute und schlechte Platzierungen lassen sich nicht unterscheiden.',
      does: 'Der Quelle ihre Parameter und Makros geben.',
    },
    sub_without_macro: {
      says: 'Der Parameter {value} der Quelle {name} hat kein Makro.',
      costs: 'Er bleibt bei jedem Klick leer.',
      does: 'Das Makro der Quelle dafür eintragen oder den Parameter entfernen.',
    },
    source_click_id_missing: {
      says: 'Die Quelle {name} erfährt von Conversions, aber ihr Link hat kein Makro für ihre Klick-ID.',
      costs: 'Die Quelle kann nicht zuordnen, welcher ihrer Klicks konvertiert hat.',
      does: 'Das Makro der Quelle für ihre Klick-ID eintragen.',
    },
    cost_missing: {
      says: 'Was ein Klick kostet, ist nirgends angegeben: Der Link hat keinen Parameter dafür, und keine Verbindung liest die Ausgaben.',
      costs: 'Jeder Klick zählt als kostenlos, deshalb stimmen Gewinn und ROI nicht.',
      does: 'Ein Kostenmodell mit Preis wählen, der Quelle ihr Kosten-Makro geben oder sie verbinden.',
    },
    cost_zero: {
      says: 'Das Kostenmodell {value} hat den Preis 0.',
      costs: 'Jeder Klick zählt als kostenlos, deshalb stimmen Gewinn und ROI nicht.',
      does: 'Den Preis eintragen.',
    },
    spend_failing: {
      says: 'Die Ausgaben von {name} lassen sich nicht lesen.',
      costs: 'So lange zählen die Klicks als kostenlos.',
      does: 'Die Verbindung der Quelle korrigieren.',
    },
    postbacks_failing: {
      says: 'Aus Postbacks von {name} werden keine Conversions.',
      costs: 'Die Conversions und ihr Umsatz fehlen.',
      does: 'Im Postback-Protokoll nachsehen, was daran nicht stimmt.',
    },
    network_missing: {
      says: 'Das Offer {name} hat kein Netzwerk.',
      costs: 'Niemand merkt es, wenn seine Conversions ausbleiben.',
      does: 'Das Netzwerk wählen, das dafür zahlt.',
    },
    postback_unseen: {
      says: 'In den letzten 30 Tagen kam kein Postback von {name}.',
      costs: 'Ist der Postback nicht eingerichtet, fehlen Conversions und Umsatz.',
      does: 'Das Netzwerk einen Test-Postback senden lassen.',
    },
    payout_missing: {
      says: 'Das Offer {name} hat den Payout 0 und übernimmt ihn nicht aus dem Postback.',
      costs: 'Seine Conversions zählen ohne Umsatz.',
      does: 'Den Payout eintragen oder aus dem Postback übernehmen.',
    },
    payout_untold: {
      says: 'Das Offer {name} hat den Payout 0, und die Postback-URL seines Netzwerks hat keinen Parameter dafür.',
      costs: 'Seine Conversions zählen ohne Umsatz, außer das Netzwerk sendet den Betrag trotzdem.',
      does: 'Den Payout oder das Makro des Netzwerks dafür eintragen.',
    },
    path_unreachable: {
      says: 'Zum Pfad {path} kommt niemand: {value} nimmt vorher alle.',
      costs: 'Seine Offers bekommen keine Besucher.',
      does: 'Dem Pfad {value} Bedingungen geben oder {path} zuerst versuchen.',
    },
    path_without_share: {
      says: 'Der Pfad {path} hat das Gewicht 0, deshalb kommt niemand Neues dorthin.',
      costs: 'Seine Offers bekommen keine neuen Besucher.',
      does: 'Ihm ein Gewicht geben oder ihn abschalten.',
    },
    fallback_missing: {
      says: 'Es gibt keine Ausweich-URL, und kein Pfad nimmt jeden Besucher.',
      costs: 'Besucher, die kein Pfad nimmt, bekommen eine Fehlerseite.',
      does: 'Eine Ausweich-URL eintragen oder einen Standardpfad anlegen.',
    },
    bots_off: {
      says: 'Der Bot-Filter ist aus: Keines seiner abschaltbaren Merkmale zählt.',
      costs: 'Bots zählen als Besucher, deshalb stimmen Raten und Vergleiche nicht.',
      does: 'Die Merkmale des Bot-Filters einschalten.',
    },
    offer_capped: {
      says: 'Das Offer {name} hat sein Limit von {value} Conversions am Tag erreicht.',
      costs: 'Seine Besucher werden bis morgen woandershin geschickt.',
      does: 'Das Limit erhöhen oder abwarten.',
    },
    path_capped: {
      says: 'Der Pfad {path} hat sein Limit von {value} Klicks am Tag erreicht.',
      costs: 'Seine Besucher werden bis morgen woandershin geschickt.',
      does: 'Das Limit erhöhen oder abwarten.',
    },
    rate_missing: {
      says: 'Für {value}, die Währung von {name}, gibt es keinen Wechselkurs.',
      costs: 'Beträge in dieser Währung werden erst gezählt, wenn es einen Kurs gibt.',
      does: 'Eine andere Währung wählen oder den Betreiber bitten, Kurse einzuspielen.',
    },
    lander_unclicked: {
      says: 'Von {value} Besuchern in 30 Tagen hat auf {name} niemand zu einem Offer weitergeklickt.',
      costs: 'Jeder Besucher bleibt auf dieser Seite.',
      does: 'Den Knopf der Seite mit der URL verlinken, die bei der Landingpage steht.',
    },
    slot_without_offer: {
      says: 'Im Pfad {path} gehört kein Offer zum Knopf {value} von {name}.',
      costs: 'Besucher, die ihn drücken, bekommen eine Fehlerseite.',
      does: 'Dem Pfad ein Offer für diesen Knopf geben.',
    },
    lander_untried: {
      says: 'Ob {name} zu einem Offer weiterführt, ist nicht bekannt: Dort hat noch kein Besucher geklickt. Klicks von Bots zählen nicht.',
      costs: 'Wenn nicht, bleibt jeder Besucher auf dieser Seite.',
      does: 'Den Link der Kampagne öffnen und den Knopf der Seite einmal drücken.',
    },
    site_inactive: {
      says: 'Die Website {name}, die die Kampagne misst, ist abgeschaltet.',
      costs: 'Kein Ziel wird gezählt.',
      does: 'Die Website einschalten oder eine andere wählen.',
    },
    tag_unseen: {
      says: 'Die Kampagne erwartet Ziele, aber in den letzten 30 Tagen kam kein Ereignis des Seiten-Tags.',
      costs: 'Ist das Tag nicht auf der Seite, wird kein Ziel gezählt.',
      does: 'Das Tag in die Seite einbauen und sie einmal öffnen.',
    },
  },
}
