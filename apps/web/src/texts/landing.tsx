import type { Priority } from '@tocsin/protocol'
import { type Around, inLanguage } from './language.ts'

const en = {
  featureArt: {
    database: 'database',
    chain: 'chain',
    feed: 'feed',
  },
  features: {
    alertYouCanHoldUs: 'An alert you can hold us to',
    paymentsThatCannotBeLost: 'Payments that cannot be lost',
    serverWatchesTheChain:
      'The server watches the chain itself. Close the page right after you pay, and your plan still starts.',
    streamWithoutGaps: 'A stream without gaps',
    everyAlertHasItsPlace:
      'Every alert has its place in the stream. After a lost connection you get what you missed, in order and once.',
    proofYouCanCheck: 'Proof you can check',
    signatureAMerklePath: 'A signature, a Merkle path and an anchor on chain. Six checks say whether all three hold.',
    oneCommandToRun: 'One command to run',
    hostItYourselfItBrings:
      'Host it yourself. It brings its own database, chain and feed, and you replace them when you are ready.',
  },
  hero: {
    marketIntelligence: 'Market Intelligence',
    marketAlarmsUnderSeal: (
      <>
        Market alarms, <br />
        under seal.
      </>
    ),
    tocsinSignsEveryMarket:
      'Tocsin signs every market anomaly the moment it is found, writes it to an append-only log and anchors that log on chain. You check it yourself, then act.',
    getForIto: ({ firstPlan, price }: { firstPlan: string; price: number }) => `Get ${firstPlan} for ${price} ITO`,
    howItWorks: 'How it works',
  },
  howItWorks: {
    howItWorks: 'How it works',
    connectAWallet: 'Connect a wallet',
    yourBrowserWalletShows:
      'Your browser wallet shows its address and balance. One signature proves that it is yours. It costs nothing.',
    payForTheHours: 'Pay for the hours you need',
    oneTransferOfIto:
      'One transfer of ITO to the treasury. Access opens when the chain has confirmed it, also if you close the page.',
    actAndKeepTheProof: 'Act, and keep the proof',
    alertsArriveLiveAndSigned:
      'Alerts arrive live and signed. The seal closes when the log’s root is on chain, and the proof is yours.',
    pay30Ito: 'Pay 30 ITO',
    block12: 'block 1/2',
    anchored: 'Anchored',
    sixOfSixChecks: '6 of 6 checks',
  },
  landingFooter: {
    product: 'Product',
    dashboard: 'Dashboard',
    transparency: 'Transparency',
    admin: 'Admin',
    help: 'Help',
    documentation: 'Documentation',
    apiReference: 'API Reference',
    contactSupport: 'Contact Support',
    legal: 'Legal',
    privacyPolicy: 'Privacy Policy',
    termsOfService: 'Terms of Service',
    security: 'Security',
    marketIntelligence: 'Market Intelligence',
    footer: 'Footer',
    alertsAreSignalsNotAdvice: 'Alerts are signals, not advice.',
    root: ({ root }: { root: string }) => `root ${root}`,
  },
  landingHeader: {
    howItWorks: 'How it works',
    plans: 'Plans',
    transparency: 'Transparency',
    documentation: 'Documentation',
    apiReference: 'API Reference',
    site: 'Site',
    logIn: 'Log in',
    dashboard: 'Dashboard',
  },
  logFigures: {
    entriesInTheLog: 'Entries in the log',
    medianTimeToAnchor: 'Median time to anchor',
    latestRoot: 'Latest root',
    noneYet: 'none yet',
    notAvailable: 'not available',
  },
  plans: {
    plans: 'Plans',
    oneCellIsOneHour: 'One cell is one hour.',
    selectPlan: ({ plan }: { plan: string }) => `Select Plan: ${plan}`,
    select: 'Select Plan',
  },
  publicAlert: {
    publicAlert: 'Public alert',
    logCantBeReachedRight: 'The log can’t be reached right now.',
    noAlertIsPublicYet: 'No alert is public yet: each becomes so some time after it was issued.',
    checking: 'Checking…',
    serverCouldNotCheckIt: 'The server could not check it. Please try again in a moment.',
    verifyAgain: 'Verify again',
    verify: 'Verify',
    changeOneCharacter: 'Change one character',
    checkedByThisSitesServer: ({ transparency }: { transparency: Around }) => (
      <>
        Checked by this site’s server. To rely on nobody, {transparency('check the log in your browser')} against a node
        of your choice.
      </>
    ),
  },
  publicCheck: {
    notCheckedYet: 'Not checked yet',
    sixChecksSayWhether: 'Six checks say whether it holds.',
    verified: 'Verified',
    timeNotProven: 'Time of issue not proven',
    notYetAnchored: 'Not yet anchored',
    whatCouldBeChecked: 'What could be checked is right.',
    cannotCheckNow: 'Cannot check now',
    chainDidNotAnswer: 'The chain did not answer.',
    failedAtStep: ({ failedStep }: { failedStep: number }) => `Failed at step ${failedStep}`,
    alertCouldNotBeVerified: 'The alert could not be verified.',
  },
  publicChecks: {
    passed: 'passed',
    failed: 'failed',
    notRun: 'not run',
    toCome: 'to come',
    noAnswer: 'no answer',
    notProven: 'not proven',
  },
  pulseBand: {
    last24Hours: 'Last 24 hours, UTC',
    alertsAndWhatIsPublic: ({ total, counted, delayHours }: { total: number; counted: string; delayHours: number }) => {
      const alerts = `${total === 0 ? 'No' : counted} ${total === 1 ? 'alert' : 'alerts'}.`
      if (delayHours === 0) return `${alerts} Here they are public at once and in full.`
      const delay = `${delayHours} ${delayHours === 1 ? 'hour' : 'hours'}`
      return `${alerts} Time and priority are public at once, the rest after ${delay}.`
    },
    notAvailable: 'Not available right now.',
    timeAndPriority: 'Time and priority of an alert are public at once, the rest later.',
    alertsOfTheDay: ({ total, critical, high, medium, low }: Record<Priority | 'total', number>) => {
      if (total === 0) return 'No alerts in the last 24 hours.'
      const alerts = total === 1 ? 'alert' : 'alerts'
      return `${total} ${alerts} in the last 24 hours: ${critical} critical, ${high} high, ${medium} medium, ${low} low.`
    },
  },
  questions: {
    questions: 'Questions',
    whatDoesTheProofShow: 'What does the proof show, and what not?',
    thatThisServiceStated:
      'That this service stated exactly these words, and that they existed when the anchoring block was made. It does not show that the alert was right, and until the anchor its time is the operator’s word.',
    canTheOperatorChange: 'Can the operator change or delete an alert?',
    notWithoutItShowing:
      'Not without it showing. The log only grows, and its roots are in transactions on a public chain. Corrections and retractions are new entries that point at the old one, and both stay.',
    whyIsTheAlert: 'Why is the alert on this page not from today?',
    freshAlerts:
      'Fresh alerts are for subscribers. Each becomes public after a delay that the operator sets, 24 hours unless changed. Its signature, path and anchor are the same as on the first day.',
    whatIfIClose: 'What if I close the page after I have paid?',
    nothingIsLostTheServer:
      'Nothing is lost. The server watches the treasury on the chain itself, finds your transfer and starts the plan. What fits no plan is kept and shown to the operator.',
    doesAnythingRenewByItself: 'Does anything renew by itself?',
    noAPlanIsOne:
      'No. A plan is one payment of exactly its price and ends by itself. No approval for more is ever asked for.',
    mustITrustThisSite: 'Must I trust this site to check an alert?',
    noSignedIn: ({
      verification,
      transparency,
      commandLine,
    }: {
      verification: Around
      transparency: Around
      commandLine: Around
    }) => (
      <>
        No. Signed in, {verification('Verification')} recomputes an alert’s proof in your browser and asks a node of
        your choice. {transparency('Transparency')} does so for the log without an account, and a{' '}
        {commandLine('command line')} without any browser.
      </>
    ),
    canIRunItMyself: 'Can I run it myself?',
    yesItIsOpenSource:
      'Yes. It is open source under the MIT licence, and one command starts all of it on one machine, with a database, a local chain and a feed of its own.',
    isThisAdvice: 'Is this advice?',
    noAnAlertSays: 'No. An alert says that something unusual was measured. It recommends nothing, and it can be wrong.',
  },
}

export const landingTexts = inLanguage({ en })
