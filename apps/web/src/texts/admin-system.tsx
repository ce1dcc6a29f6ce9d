import type { ReactNode } from 'react'
import { inLanguage, numberLocale } from './language.ts'

const en = {
  auditPanel: {
    auditTrail: 'Audit trail',
    nothingHereCanBeEdited: 'Nothing here can be edited or deleted',
    showingNewestFirst: ({ hasNextPage, count }: { hasNextPage: boolean; count: number }) =>
      `${hasNextPage ? 'Showing' : 'All'} ${count.toLocaleString(numberLocale)}, newest first`,
    loadingTheAuditTrail: 'Loading the audit trail',
    failedToFetchTheAudit: 'Failed to fetch the audit trail',
    nothingWasDoneYet: 'Nothing has been done yet',
    whatAdminsDoAppearsHere: 'What admins do appears here: who, when and why.',
    nothingMatches: 'Nothing matches',
    clearFilters: 'Clear filters',
    lookForAllActions: 'Look for all actions, or for those of everybody.',
    whichActions: 'Which actions',
    allActions: 'All actions',
    whoseActions: 'Whose actions',
    everybody: 'Everybody',
    noAdminAnyMore: 'No longer an admin',
    error: 'Error',
    failedToExportTheAudit: 'Failed to export the audit trail. Please try again.',
    whatTheFiltersGive: 'What the filters give, as CSV',
    exporting: 'Exporting…',
    exportCsv: 'Export CSV',
  },
  auditRow: {
    requestRequestId: ({ requestId }: { requestId: string }) => `Request ${requestId}`,
    unknownUser: 'Unknown User',
  },
  auditWords: {
    subscriptionExtended: 'Subscription extended',
    subscriptionCancelled: 'Subscription cancelled',
    userSuspended: 'User suspended',
    userLetInAgain: 'User let in again',
    sessionsEnded: 'Sessions ended',
    roleChanged: 'Role changed',
    usersExported: 'Users exported',
    paymentCredited: 'Payment credited',
    refundNoted: 'Refund noted',
    paymentIgnored: 'Payment ignored',
    refundOfAPurchaseNoted: 'Refund of a purchase noted',
    purchaseSetAside: 'Purchase set aside',
    reconciliationStarted: 'Reconciliation started',
    chainChanged: 'Chain changed',
    feedSaved: 'Feed saved',
    feedTested: 'Feed tested',
    alertCreated: 'Alert created',
    alertBroadcast: 'Alert broadcast',
    alertCorrected: 'Alert corrected',
    alertRetracted: 'Alert retracted',
    adminCreated: 'Admin created',
    passwordReset: 'Password reset',
    auditTrailExported: 'Audit trail exported',
    commandLine: 'Command line',
    deletedAccount: 'A deleted account',
    sent: 'Sent',
    onlyCreated: 'Only created, not sent',
    testOfTheFeed: ({ success, saved }: { success: boolean; saved: boolean }) =>
      `${success ? 'Succeeded' : 'Failed'}, with what ${saved ? 'is saved' : 'was entered, not saved'}`,
  },
  chainPanel: {
    chainConfiguration: 'Chain Configuration',
    failedToFetchTheChain: 'Failed to fetch the chain configuration',
    loadingTheChain: 'Loading the chain configuration',
    chainConfigurationUpdated: 'Chain Configuration Updated',
    error: 'Error',
    failedToUpdateChain: 'Failed to update chain configuration.',
    noChange: 'No Change',
    chainIdIsAlreadySet: 'Chain ID is already set to this value.',
    currentNetwork: 'Current network',
    chainId: 'Chain ID',
    changeTo: 'Change to',
    updateChain: 'Update chain',
    changingItAffectsAllUsers: 'Changing it affects all users, who must switch networks.',
    withAnActivePlan: ({ people, name }: { people: number; name: string }) =>
      ` ${people.toLocaleString(numberLocale)} with an active plan must switch their wallet to ${name}.`,
    noNodeIsConfigured: ({ name }: { name: string }) =>
      `No node is configured for ${name}: payments on it wait until one is.`,
  },
  changeChainDialog: {
    changeTo: ({ to }: { to: string }) => `Change to ${to}?`,
    fromThenOnEveryPayment: ({ to, from }: { to: string; from: string }) =>
      `From then on every payment is made on ${to}. What was paid on ${from} stays good.`,
    changeChain: 'Change chain',
    changing: 'Changing…',
    description: 'Description',
    optional: 'Optional',
    keptWithTheSetting: 'Kept with the setting and in the audit trail.',
  },
  dashboardTab: {
    overview: 'Overview',
    auditTrail: 'Audit trail',
    dashboard: 'Dashboard',
  },
  feedForm: {
    enterAWholeNumber: ({ min, max }: { min: number; max: number }) => `Enter a whole number from ${min} to ${max}`,
    atMost2000Characters: 'At most 2,000 characters',
    startWithWsOrWss: 'Start with ws:// or wss://',
    atMost1000Characters: 'At most 1,000 characters',
    onlyLettersDigitsAndSigns: 'Only letters, digits and signs without spaces',
    enterTheEndpointOrSwitch: 'Enter the endpoint, or switch the feed off',
  },
  feedLooks: {
    noSignalFeed: 'No signal feed',
    off: 'Off',
    waitingForTheFeed: 'Waiting for the feed',
    connecting: 'Connecting',
    online: 'Online',
    connected: 'Connected',
    doesNotAnswer: 'Does not answer',
    reconnecting: 'Reconnecting',
    withoutSignals: 'Without signals',
    failed: 'Failed',
  },
  feedPanel: {
    externalSignal: 'External Signal Configuration',
    failedToFetchTheSignal: 'Failed to fetch the signal configuration',
    loadingTheSignal: 'Loading the signal configuration',
    websocketConfigUpdated: 'WebSocket Config Updated',
    updateFailed: 'Update Failed',
    failedToUpdateTheSignal: 'Failed to update the signal configuration.',
    connectionTestSuccessful: 'Connection Test successful',
    connectionFailed: 'Connection Failed',
    testCouldNotBeMade: 'The test could not be made. Please try again.',
    enabled: 'Enabled',
    endpoint: 'Endpoint',
    inUse: 'In use',
    noEndpoint: 'No endpoint',
    fromTheEnvironment: 'From the environment. What is saved here takes its place.',
    savedHere: 'Saved here.',
    notSavedYet: 'Typed, not saved. Until you save it, the address above stays in use.',
    unsavedChanges: 'Changes that are not saved',
    discard: 'Discard',
    apiKey: 'API key',
    optional: 'Optional',
    leaveEmptyToKeep: 'Leave empty to keep the stored key',
    noKeyStored: 'No key stored',
    removeTheStoredKey: 'Remove the stored key',
    reconnectInterval: 'Reconnect interval',
    seconds: ({ min, max }: { min: number; max: number }) => `s, ${min} to ${max}`,
    maxRetries: 'Max retries',
    fromTo: ({ min, max }: { min: number; max: number }) => `${min} to ${max}`,
    saving: 'Saving…',
    saveConfiguration: 'Save Configuration',
    testing: 'Testing…',
    testConnection: 'Test Connection',
  },
  feedTestResult: {
    connectingThenWaitingUp: 'Connecting, then waiting up to ten seconds for a signal…',
    resultOfTheTest: 'Result of the test',
    testedWhatIsSaved: ({ endpoint }: { endpoint: ReactNode }) => <>Tested: {endpoint}, as it is in use.</>,
    testedWhatWasTyped: ({ endpoint }: { endpoint: ReactNode }) => <>Tested: {endpoint}, as it was typed.</>,
    connectedAfterMs: ({ connectedAfterMs }: { connectedAfterMs: number }) =>
      `Connected after ${connectedAfterMs.toLocaleString(numberLocale)} ms.`,
    onlyATest: 'Only a test: nothing was sent to readers, nothing was saved.',
    firstSignal: 'First signal',
    seenIdObservedAt: ({ id, observedAt }: { id: string; observedAt: ReactNode }) => (
      <>
        {id}, seen {observedAt}
      </>
    ),
    feedHasGivenUpSave: ({ reason }: { reason: string }) =>
      `The feed has given up${reason}. Save or test it to start again.`,
  },
  refusedSignals: {
    refusedSignals: 'Refused signals',
    sentByTheFeedMade: 'Sent by the feed, made no alert',
    showingNewestFirst: ({ count }: { count: number }) => `Showing ${count.toLocaleString(numberLocale)}, newest first`,
    loadingRefusedSignals: 'Loading refused signals',
    failedToFetchRefused: 'Failed to fetch refused signals',
    noSignalWasRefused: 'No signal has been refused',
    whatBreaksTheSignal: 'What breaks the signal protocol appears here, with the reason.',
    refusedSignalsNewestFirst: 'Refused signals, newest first',
    show: 'Show',
    hide: 'Hide',
  },
  statCards: {
    failedToFetchAdmin: 'Failed to fetch admin statistics',
    totalAlerts: 'Total Alerts',
    inTheLast24H: ({ last24Hours }: { last24Hours: string }) => `${last24Hours} in the last 24 h`,
    criticalAlerts: 'Critical Alerts',
    criticalInTheLast24H: ({ criticalLast24Hours }: { criticalLast24Hours: string }) =>
      `${criticalLast24Hours} in the last 24 h`,
    activeUsers: 'Active Users',
    connectedNow: ({ connected }: { connected: string }) => `${connected} connected now`,
    avgConfidence: 'Avg Confidence',
    overAllAlerts: 'Over all alerts',
    noAlertsYet: 'No alerts yet',
    failedToFetchAdminStatistics: 'Failed to fetch admin statistics. The figures are the last that came.',
  },
  systemFigures: {
    keysBalancesAndStorage: 'Keys, balances and storage',
    signingKey: 'Signing key',
    signsEveryAlert: 'Signs every alert',
    anchorWallet: 'Anchor wallet',
    onChainNameAddress: ({ chainName, address }: { chainName: string; address: ReactNode }) => (
      <>
        on {chainName}, {address}
      </>
    ),
    notReadableNow: 'Not readable now',
    anchorsLeft: 'Anchors left',
    atThePresentPrice: 'At the present price of gas',
    timeToAnchor: 'Time to anchor',
    medianOfTheLast24: 'Median of the last 24 h',
    notMeasuredYet: 'Not measured yet',
    paymentChain: 'Payment chain',
    notReadYet: 'Not read yet',
    logEntries: 'Log entries',
    alertsCorrections: 'Alerts, corrections, retractions, keys',
    database: 'Database',
    answersInMs: ({ version, latencyMs }: { version: string; latencyMs: string }) =>
      `${version}, answers in ${latencyMs} ms`,
    signalsMerged: 'Signals merged',
    anchorWalletIsLow: ({
      anchorsLeft,
      chainName,
      wallet,
    }: {
      anchorsLeft: number | null
      chainName: string
      wallet: string
    }) => {
      const count = anchorsLeft?.toLocaleString(numberLocale) ?? 'fewer than 20'
      const anchors = anchorsLeft === 1 ? 'anchor' : 'anchors'
      return `The anchor wallet is low: it pays for ${count} more ${anchors}. Send coins of ${chainName} to ${wallet}.`
    },
    readAt: ({ at }: { at: ReactNode }) => <>Read {at}</>,
    noGapInTheFeed: 'No gap in the feed since the start',
    gapSince: ({ from, zone }: { from: ReactNode; zone: ReactNode }) => (
      <>
        Gap since {from} {zone}
      </>
    ),
    lastGap: ({ from, to, zone }: { from: ReactNode; to: ReactNode; zone: ReactNode }) => (
      <>
        Last gap {from} to {to} {zone}
      </>
    ),
  },
  systemHealth: {
    systemUnreachable: 'System unreachable',
    checking: 'Checking…',
    signalFeedFailed: 'signal feed failed',
    signalFeedReconnecting: 'signal feed reconnecting',
    signalFeedNotAnswering: 'signal feed not answering',
    anchoringDelayed: 'anchoring delayed',
    logStopped: 'log stopped',
    systemActive: 'System Active',
    degradedFaults: ({ faults }: { faults: string }) => `Degraded: ${faults}`,
  },
  systemStatusPanel: {
    systemStatus: 'System Status',
    measuredLive: 'Measured, live',
    statusCouldNotBeRead: 'The status could not be read again. This is how it last was.',
    failedToFetchTheSystem: 'Failed to fetch the system status',
    analysisSystem: 'Analysis system',
    onlineQuiet: 'Online, quiet',
    websocket: 'WebSocket',
    connectedClient: ({ connected }: { connected: number }) =>
      `Connected, ${connected.toLocaleString(numberLocale)} ${connected === 1 ? 'client' : 'clients'}`,
    externalFeed: 'External feed',
    pingMs: ({ pingMs }: { pingMs: number }) => `, ping ${pingMs} ms`,
    anchorChain: 'Anchor chain',
    noAnchorYet: 'no anchor yet',
    paymentWatcher: 'Payment watcher',
    uptime: 'Uptime',
    signalsReceived: 'Signals received',
    lastLastSignalAt: ({ lastSignalAt }: { lastSignalAt: ReactNode }) => <>, last {lastSignalAt}</>,
    signalsRefused: 'Signals refused',
    toLookAt: ({ signalsRefused }: { signalsRefused: number }) =>
      `${signalsRefused.toLocaleString(numberLocale)} to look at`,
    lastAnchor: ({ at }: { at: ReactNode }) => <>Last anchor {at}</>,
    notMeasuredYet: 'Not measured yet',
    upToDate: 'Up to date',
    blockBehindBlocks: ({ behindBlocks }: { behindBlocks: number }) =>
      `${behindBlocks.toLocaleString(numberLocale)} ${behindBlocks === 1 ? 'block' : 'blocks'}`,
    behindBy: ({ distance }: { distance: string }) => `Behind by ${distance}`,
    loadingTheSystemStatus: 'Loading the system status',
  },
}

export const adminSystemTexts = inLanguage({ en })
