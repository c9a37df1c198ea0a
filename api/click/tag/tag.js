// The page tag, answered at /t.js of every tracking domain, and at /{name}.js of a domain that has a name for it:
//
//   <script src="https://TRACKING-DOMAIN/t.js" data-site="SITE-KEY" async></script>
//
// It reports to POST /t/event of the same domain, or to POST /{name}.js, what visitors do on a customer's own pages, and which click
// brought them. /docs/tracking documents the functions that a page may call. `make generate` makes tag.min.js from this file, and
// tag.min.js is served. It must stay below 2048 bytes compressed. The names of events, storage and attributes are a contract; the
// minifier may change all other names.
//
// Three rules hold everywhere below.
//   - No error is thrown into the page: each function that the page or the browser calls runs in attempt.
//   - Nothing is stored or sent unless consent is true.
//   - An event stays queued until the server has answered that the event is stored, or that it never will be. It is dropped earlier
//     only if the queue is full, the event is too old or the consent ends. Each event has an id of its own, so that the server stores
//     it once, however often it is sent.
((win, doc, location, attempt) => attempt(() => {
  const on = (target, type, f) => target.addEventListener(type, (e) => attempt(() => f(e)), true);

  const keepClick = 7776e6; // ms that a click is remembered: 90 days
  const keepEvent = 6048e5; // ms during which an event is sent again: 7 days
  const maxEvents = 50; // number of waiting events; beyond it, the first event of the queue is dropped
  const maxText = 2e4; // characters of a request, and of an event: when a page closes, browsers still send at most 64 kB

  const { src, dataset } = doc.currentScript;
  const { site } = dataset;
  const base = new URL('.', src); // the root of the tracking domain
  const events = src.replace('/t.js', '/t/event'); // blockers know /t/event, so a tag with another name sends to its own address
  const older = win.trk || {}; // the page's function that collects calls until the tag is loaded, or the tag of another site
  const clickKey = 'trk_click'; // name of the cookie, and of its copy in localStorage
  const eventKey = 'trk_q:' + site + ':'; // followed by an event's id: an event in localStorage

  const noTrack = 'trk-no-track'; // name of a meta element, a cookie or an entry of localStorage

  let consent; // true: given or not needed; false: refused, or must not be asked for; undefined: not known yet
  const queue = new Map(); // events that wait for consent or for the server: id to text
  let flight = []; // ids of the events in the present request
  let delay = 1e3; // ms; it is doubled before each wait for another attempt
  let click, from, ad; // id of the click that brought the visitor, where it was found, click of an ad platform: gclid=XYZ
  const trap = doc.createElement('a'); // a link that people do not see; a click whose visitor follows it is marked as a bot's
  let path, page, before; // address of the last view without its query, the same with its query, and the address of the view before

  const local = () => win.localStorage;
  // Calls f with the id of each event in localStorage. For any other entry it calls f with undefined.
  const eachStored = (f) => attempt(() => Object.keys(local()).forEach((name) => f(name.split(eventKey)[1])));

  // Reads two values from the page's address: our click id, in a parameter such as clickid or subid, and the click id of an ad
  // platform, in a parameter such as gclid.
  const readAddress = () => {
    const find = (pattern) => (location.href.match('[?&]' + pattern + '(?![^&#])') || [])[1] || '';
    click = find('(?:(?:cf_)?click_?id|subid|uclick|cid)=([0-9A-Za-z]{22})');
    from = click && 'url';
    ad = find('((?:gclid|fbclid|msclkid|ttclid)=[^&#~;]+)');
  };

  // Writes the cookie for the widest domain that the browser accepts, because a shop's checkout may be on another subdomain.
  // An age of 0 deletes the cookie on all domains.
  const setCookie = (value, age) => {
    const labels = location.hostname.split('.');
    for (const n in labels) {
      doc.cookie = `${clickKey}=${value};path=/;samesite=lax;max-age=${age};domain=` + labels.slice(-1 - n).join('.');
      if (age && doc.cookie.includes(value)) break;
    }
  };

  // Finds the click: in the address first, then in the cookie, then in localStorage. It is written only if readAddress has found an
  // id, so that a click that the visitor has deleted does not come back.
  const recall = () => {
    const cookie = attempt(() => doc.cookie.match(clickKey + '=([^;]+)')[1]);
    const known = (cookie || attempt(() => local()[clickKey]) || '').split('~'); // click id, ad, time
    readAddress();
    const fresh = click || ad;
    if (!click && Date.now() - known[2] < keepClick) {
      click = known[0];
      from = click && (cookie ? 'cookie' : 'local');
      ad = ad || known[1];
    }
    if (fresh) {
      const value = [click, ad, Date.now()].join('~');
      attempt(() => setCookie(value, keepClick / 1e3));
      attempt(() => (local()[clickKey] = value));
    }
  };

  // Queues an event with the click that is known now. Personal data of the visitor are sent, but not written to localStorage.
  const put = (event) => {
    event = { ...event, click, from, ad };
    const text = JSON.stringify(event);
    if (text.length > maxText) return;
    queue.set(event.id, text);
    event.user = 0;
    if (consent) attempt(() => (local()[eventKey + event.id] = JSON.stringify(event)));
    if (queue.size > maxEvents) drop(queue.keys().next().value);
  };

  const drop = (id) => {
    queue.delete(id);
    attempt(() => local().removeItem(eventKey + id));
  };

  // Sends the queued events in the order of the queue, as many as fit into one request. A page that is being left does not wait for
  // a request in flight.
  const send = (leaving) => {
    if (!consent || (!leaving && flight[0])) return;
    const ids = [];
    const texts = [];
    for (const [id, text] of queue) {
      if (flight.includes(id)) continue;
      if ((texts + text).length > maxText) break;
      ids.push(id);
      texts.push(text);
    }
    if (!ids[0]) return;
    const body = `{"site":"${site}","now":${Date.now()},"events":[${texts}]}`;
    if (leaving) return navigator.sendBeacon(events, body);
    flight = ids;
    // A request with a text needs no preflight. If the tracking domain belongs to the same site as the page, the request has the
    // cookies, which may name a click that the page's address does not name.
    fetch(events, { method: 'POST', body, keepalive: true, credentials: 'include' })
      .then(({ status }) => {
        // After 429 or an error of the server, the events are sent again later. Any other refusal is final.
        if (status == 429 || status > 499) throw 0;
        ids.forEach(drop);
        flight = [];
        delay = 1e3;
        send();
      })
      .catch(() => {
        flight = [];
        setTimeout(() => attempt(send), (delay *= 2));
      });
  };

  // Queues an event of the given name, and sends the queue.
  const record = (name, data) => {
    if (consent === false) return;
    const at = Date.now();
    put({
      ...data,
      ...(name == 'view' && {
        tz: -new Date().getTimezoneOffset(), // reading the name of the time zone would cost some 10 ms
        screen: screen.width + 'x' + screen.height,
        webdriver: navigator.webdriver,
      }),
      id: at + '-' + Math.random(),
      name,
      at,
      url: path,
      ref: before,
    });
    send();
  };

  // Records a view if the page shows something else than before. A router that replaces the address may have changed only a filter
  // in the query, which is no view. A fragment that looks like a path is a page of a router, and may have a query of its own.
  const look = (how) => {
    const route = (location.hash.match(/^#!?\/.*/) || [''])[0];
    const newPath = location.host + location.pathname + route.split('?')[0];
    const newPage = newPath + location.search + route;
    const same = how == 'replaceState' ? newPath == path : newPage == page;
    page = newPage;
    if (same) return;
    before = path || doc.referrer.split(/[?#]/)[0];
    path = newPath;
    record('view');
    links();
  };

  // Gives a link to an offer its address. A link that already has an address keeps it while no click is known.
  const link = (a) => {
    if (click || !a.href) a.href = base + 'out/' + a.dataset.trkSlot + (click && '?clickid=' + click);
  };
  const links = () => {
    doc.querySelectorAll('a[data-trk-slot]').forEach(link);
    if (!consent || !click || !doc.body) return;
    trap.href = base + 't/h/' + click;
    doc.body.append(trap);
  };

  // Begins to work with consent: finds the click, adds it to the waiting events, and queues the events that an earlier page stored.
  const begin = () => {
    consent = true;
    recall();
    links();
    [...queue.values()].forEach((text) => put(JSON.parse(text)));
    eachStored((id) => {
      // An id begins with its time.
      if (Date.now() - parseInt(id) < keepEvent) queue.set(id, local()[eventKey + id]);
      else drop(id);
    });
    send();
  };

  // Ends the consent: deletes the click and all events.
  const forget = () => {
    consent = false;
    trap.remove();
    queue.clear();
    click = from = ad = '';
    attempt(() => setCookie('', 0));
    attempt(() => local().removeItem(clickKey));
    eachStored(drop);
  };

  // Handles a call of the page: trk(name, a, b).
  const call = (name, a, b) => {
    if (name == 'consent') {
      if (off || a === false) forget();
      else if (!consent) begin();
    } else if (name == 'ready') older.clickId || setTimeout(a);
    else if (name == 'goal') record(a, b);
    else record(name, a);
  };

  // The visitor or the page wants no tracking at all.
  const off = navigator.globalPrivacyControl || doc.querySelector(`meta[name=${noTrack}]`) ||
    attempt(() => doc.cookie.includes(noTrack)) || attempt(() => local()[noTrack]);

  const start = () => {
    const early = older.q || [];
    const trk = (...args) => {
      older.clickId ? older(...args) : early.push(args);
      attempt(() => call(...args));
    };
    trk.q = early; // another site's tag takes the same calls
    trk.clickId = () => click;
    trk.ready = trk.bind(0, 'ready');
    win.trk = trk;

    // The hidden link takes no space, and neither the keyboard nor a screen reader finds it.
    Object.assign(trap, { rel: 'nofollow', style: 'position:fixed', tabIndex: -1, ariaHidden: true });
    readAddress();
    if (off) consent = false;
    look();
    for (const args of early) attempt(() => call(...args));
    if (consent == null && dataset.consent != 'wait') begin();

    for (const method of ['pushState', 'replaceState']) {
      const original = history[method];
      history[method] = (...args) => {
        original.apply(history, args);
        attempt(() => look(method));
      };
    }
    on(win, 'popstate', look);
    for (const type of ['click', 'auxclick']) {
      on(doc, type, (e) => {
        const a = e.target.closest('a[data-trk-slot]');
        if (!a || e.button > 1) return;
        link(a);
        record('click', { slot: +a.dataset.trkSlot });
      });
    }
    on(doc, 'submit', (e) => {
      const { trkLead } = e.target.dataset;
      if (trkLead != null) record(trkLead || 'lead');
    });
    on(doc, 'DOMContentLoaded', links);
    on(win, 'online', () => send());
    on(win, 'pagehide', () => send(true));
  };

  if (win[eventKey]) return; // the page has this tag twice
  win[eventKey] = 1;
  // A page that a browser prerenders has not been seen yet.
  if (doc.prerendering) on(doc, 'prerenderingchange', start);
  else start();
}))(window, document, location, (f) => {
  // Returns the value of f, or undefined if f throws, as localStorage does where a browser blocks it.
  try {
    return f();
  } catch {}
});
