// Translates the service's sentences about the DNS of a domain into German. A text may contain several of them.
const sentences: [RegExp, string][] = [
  [/The domain has no address in DNS\./, 'Die Domain hat keine Adresse im DNS.'],
  [/The domain leads elsewhere: (.+?)\. (?=Set |Point )/, 'Die Domain führt woandershin: $1. '],
  [/The domain leads here\./, 'Die Domain führt hierher.'],
  [
    /The domain leads here, but the operator of this install has rejected it\./,
    'Die Domain führt hierher, aber der Betreiber dieser Installation hat sie abgelehnt.',
  ],
  [
    /The domain leads here, but its host serves another account: ask the operator of this install\./,
    'Die Domain führt hierher, aber ihr Host bedient ein anderes Konto: Weiter hilft der Betreiber dieser Installation.',
  ],
  [
    /The domain leads here, but another account has added its host too, or had it verified in the last year\./,
    'Die Domain führt hierher, aber ein anderes Konto hat ihren Host auch hinzugefügt oder hatte ihn im letzten Jahr bestätigt.',
  ],
  [
    /Another account has proved by a TXT record that the host is its own\./,
    'Ein anderes Konto hat mit einem TXT-Eintrag nachgewiesen, dass der Host ihm gehört.',
  ],
  [
    /The domain leads here through another server, such as a proxy\./,
    'Die Domain führt über einen anderen Server hierher, etwa einen Proxy.',
  ],
  [/Set a CNAME of (\S+) to (\S+)\.(?=\s|$)/, 'Einen CNAME-Eintrag für $1 auf $2 setzen.'],
  [/Set a TXT record of (\S+) to (\S+)\.(?=\s|$)/, 'Einen TXT-Eintrag für $1 mit dem Wert $2 setzen.'],
  [/Point (\S+) at (\S+) by an ALIAS, ANAME or flattened CNAME\b/, '$1 per ALIAS, ANAME oder CNAME-Flattening auf $2 zeigen lassen'],
  [/, or, where your DNS has none of these, set (.+?)\. (?=Einen )/, ' oder, wenn das DNS nichts davon hat, $1 setzen. '],
  [
    /DNS could not be asked whether the domain belongs to this account\. The check is repeated later\./,
    'Das DNS ließ sich nicht fragen, ob die Domain zu diesem Konto gehört. Die Prüfung wird später wiederholt.',
  ],
  [
    /DNS could not be asked where the domain leads\. The check is repeated later\./,
    'Das DNS ließ sich nicht fragen, wohin die Domain führt. Die Prüfung wird später wiederholt.',
  ],
  [/DNS does not show that the domain belongs to this account\./, 'Das DNS weist nicht nach, dass die Domain zu diesem Konto gehört.'],
  [/HTTPS does not work on it:/, 'HTTPS funktioniert dort nicht:'],
  [
    /DNS leads to (\S+), which has no address: the operator of this install has to set a wildcard record (\S+)\.(?=\s|$)/,
    'Das DNS führt zu $1, und das hat keine Adresse: Der Betreiber dieser Installation muss den Wildcard-Eintrag $2 setzen.',
  ],
  [
    /DNS leads here, but the domain does not answer as this service:/,
    'Das DNS führt hierher, aber unter der Domain antwortet nicht dieser Dienst:',
  ],
  [/Links on it stop working on (\d{4})-(\d\d)-(\d\d)\./, 'Links auf ihr funktionieren ab dem $3.$2.$1 nicht mehr.'],
  [/Links on it do not work until it is verified\./, 'Links auf ihr funktionieren erst, wenn sie bestätigt ist.'],
]

export const dnsDetail = (said: string) => sentences.reduce((text, [form, translated]) => text.replace(form, translated), said)
