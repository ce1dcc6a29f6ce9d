import { inLanguage } from './language.ts'

const en = {
  apiCallPanel: {
    public: 'Public',
    signedIn: 'Signed in',
    admin: 'Admin',
    inThePath: 'in the path',
    inTheQuery: 'in the query',
    sessionMustHaveConfirmed: ({ accessWords, isRecent }: { accessWords: string; isRecent: boolean }) =>
      `${accessWords}. ${isRecent ? 'The person must have confirmed within the last ten minutes that the session is theirs.' : ''}`,
    parameters: 'Parameters',
    body: 'Body',
    answerStatus: ({ status }: { status: string }) => `Answer ${status}`,
  },
  apiReferencePage: {
    everyCallAsThisServer: 'Every call, as this server takes it',
    madeFromTheServersOwn:
      'Made from the server’s own schemas. Programs sign in as people do, keep the cookies that answers bring (here as cookies.txt or SESSION_COOKIE), and name their origin when they write.',
    apiReference: 'API Reference',
    downloadOpenapiJson: 'Download openapi.json',
    callsAreDrawnFromOpenapi:
      'The calls are drawn from openapi.json, which needs JavaScript. The file itself does not.',
    topics: 'Topics',
    referenceCouldNotBeRead: 'The reference could not be read from the server.',
    tryAgain: 'Try again',
  },
  apiTopic: {
    authentication: 'Authentication',
    users: 'Users',
    subscriptions: 'Subscriptions',
    alerts: 'Alerts',
  },
  callExample: {
    language: 'Language',
    copyLanguage: ({ language }: { language: string }) => `Copy ${language}`,
  },
  schemaRows: {
    listOf: ({ items }: { items: string }) => `list of ${items}`,
    anything: 'anything',
    characters: 'characters',
    defaultValue: ({ value }: { value: string }) => `default ${value}`,
    fromTo: ({ from, to }: { from: number; to: number }) => `${from} to ${to}`,
    atMost: ({ to }: { to: number }) => `at most ${to}`,
    atLeast: ({ from }: { from: number | undefined }) => `at least ${from}`,
  },
  schemaTable: {
    optional: 'optional',
  },
  socketReference: {
    planHasEnded: 'The plan has ended',
    sessionHasEnded: 'The session has ended, or the wallet no longer speaks for the account',
    tooManySockets: 'The account has too many sockets open; the oldest is closed',
    serverRestartsConnectAgain: 'The server restarts: connect again',
    ruleWasBrokenTooMany: 'A rule was broken: too many messages or attempts, or no authentication within a minute',
    connectFromAPage: 'Connect from a page',
    browserSendsTheSessions: (
      <>
        The browser sends the session’s cookie and the site’s Origin. Send <code>authenticate</code> with a wallet that
        this session has proved.
      </>
    ),
    copyTypescript: 'Copy TypeScript',
    connectFromAProgram: 'Connect from a program',
    withoutCookieAndOrigin: (
      <>
        Without cookie and Origin the server sends a <code>challenge</code>. Answer <code>auth</code> with a Sign-In
        with Ethereum message over it, signed by a wallet that is linked to an account with a running plan. Each
        challenge takes one answer; a wrong one gets <code>authentication_failed</code> with the reason and no alert.
        With <code>format: 'summary'</code> alerts come as <code>market_alert</code> and the plan as{' '}
        <code>subscription_update</code>.
      </>
    ),
    loseNothing: 'Lose nothing',
    sayTheLastLogIndex: (
      <>
        Send the last log index that you have seen, and the <code>logId</code> that <code>live</code> named: you get
        exactly what came after it, in order, then <code>live</code>. With <code>recovered: false</code> the gap could
        not be filled (more than 1,000 alerts, more than 5,000 of an account within a minute, or another log): read the
        list again. An alert comes at once with its signature, and again with path and transaction, marked{' '}
        <code>isUpdate</code>; show an id once. A <code>heartbeat</code> comes every 20 s. After the plan has ended you
        still get what was sent before its end.
      </>
    ),
    youSend: 'You send',
    serverSends: 'The server sends',
    whyItCloses: 'Why it closes',
  },
  tryCall: {
    notSent: 'Not sent',
    addressMustBeginWithApi: 'The address must begin with /api/.',
    bodyIsNotJson: 'The body is not JSON.',
    redirect: 'Redirect',
    openThisAddress: 'Open this address in the browser itself.',
    noAnswer: 'No answer',
    serverCouldNotBeReached: 'The server could not be reached.',
  },
  tryIt: {
    tryItOnThisServer: 'Try it on this server',
    sentAsWithThisBrowsers: ({ user }: { user: string }) => `Sent as ${user}, with this browser’s session.`,
    sentAsAStrangerNobody: 'Sent as a stranger: nobody is signed in here.',
    address: 'Address',
    body: 'Body',
    sendMethod: ({ method }: { method: string }) => `Send ${method}`,
    thisIsTheRealServer: ({ method, address }: { method: string; address: string | undefined }) => (
      <>
        This is the real server, not a sandbox: what {method} {address} changes stays changed.
      </>
    ),
    sending: 'Sending…',
    sendIt: 'Send it',
    cancel: 'Cancel',
  },
}

export const apiReferenceTexts = inLanguage({ en })
