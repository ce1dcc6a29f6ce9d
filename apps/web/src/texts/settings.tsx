import type { ReactNode } from 'react'
import { inLanguage } from './language.ts'

const en = {
  accountSection: {
    profile: 'Profile',
    yourAccount: 'your account',
    name: 'Name',
    changeName: 'Change name',
    change: 'Change',
    email: 'Email',
    noneYetAddOne: 'None yet. Add one to get email and to log in with a password.',
    notVerified: 'Not verified',
    addAnEmail: 'Add an email',
    changeEmail: 'Change email',
    add: 'Add',
    accountType: 'Account type',
    administratorCreated: ({
      isAdmin,
      createdAt,
      zone,
    }: {
      isAdmin: boolean
      createdAt: ReactNode
      zone: ReactNode
    }) => (
      <>
        {isAdmin ? 'Administrator' : 'Regular User'}, created {createdAt} {zone}
      </>
    ),
    checkYourEmail: 'Check your email',
    linkCouldNotBeSent: 'The link could not be sent again. Please try again.',
    newEmail: 'New email',
    waitingForItsLink: 'Waiting for its link',
    weSentALink: ({ email }: { email: string }) =>
      `We sent a link to ${email}. It counts once the link is opened. To cancel, enter another address.`,
    sending: 'Sending…',
    resend: 'Resend',
  },
  appearanceSection: {
    comfortable: 'Comfortable',
    compact: 'Compact',
    appearance: 'Appearance',
    theme: 'Theme',
    ofThisBrowserSystemFollows: 'For this browser. System follows your device.',
    yourChoices: 'your choices',
    rows: 'Rows',
    ofTheLiveInsights: 'For live insights on the dashboard.',
    clock: 'Clock',
    hoursOfTheDay: 'Times in 24-hour or 12-hour form.',
    upSinceStartedAtZone: ({ startedAt, zone }: { startedAt: ReactNode; zone: ReactNode }) => (
      <>
        Up since {startedAt} {zone}.
      </>
    ),
    timeZone: 'Time zone',
    ofAllTimesOnSigned: 'For all times on signed-in pages. Their tooltips also show UTC.',
    thisDeviceKnownZone: ({ knownZone }: { knownZone: string }) => `This device: ${knownZone}`,
    always: 'Always',
  },
  browserNotificationsRow: {
    shownByYourSystem: 'Shown by your system while this tab is in the background. A click opens the alert.',
    aboutThisBrowser: ({ about }: { about: string }) => `${about} This browser has not been asked yet.`,
    onForYourAccount:
      'On for your account, but this browser blocks notifications from this site. Allow them in its site settings, beside the address, then come back.',
    thisBrowserBlocks:
      'This browser blocks notifications from this site. Allow them in its site settings, beside the address, then come back.',
    onForYourAccountBut:
      'On for your account, but this browser can’t show notifications from this page. It may need HTTPS, or the page to be installed.',
    thisBrowserCantShow:
      'This browser can’t show notifications from this page. It may need HTTPS, or the page to be installed.',
    notPossibleInThisBrowser: 'Not possible in this browser',
    notificationsAreBlocked: 'Notifications are blocked',
    browserNotifications: 'Browser notifications',
    enableHere: 'Enable here',
    test: 'Test',
    getAlerts: 'Get alerts while you are elsewhere?',
    yourBrowserWillAskWhether: 'Your browser will ask whether this site may show notifications.',
    maybeLater: 'Maybe Later',
    enable: 'Enable',
    alertThatComes:
      'An alert that comes in while this tab is in the background is shown by your system, with its priority, asset and summary. Others who see your screen can read it. You can turn it off here at any time.',
    testNotification: 'Test notification',
    alertsWillLookLike: 'Alerts will look like this. A click brings you back here.',
  },
  deleteAccountDialog: {
    pleaseTypeDeletePhrase: ({ deletePhrase }: { deletePhrase: string }) => `Please type: ${deletePhrase}`,
    accountDeleted: 'Account Deleted',
    yourAccount: 'Your account could not be deleted. Please try again.',
    deleteMyAccount: 'Delete my account',
    itHappensAtOnce: 'It happens at once and can’t be undone, not even by us.',
    deleting: 'Deleting…',
    yourNameEmailPassword: 'Your name, email, password, sessions and linked sign-ins are deleted.',
    yourWalletsAreReleased: 'Your wallets are released; what they hold is yours as before.',
    paymentsStayInOurBooks:
      'Payments stay in our books without your name, and on the chain as anybody’s do. The public log holds alerts, and nothing about you.',
    typeDeletePhrase: ({ deletePhrase }: { deletePhrase: string }) => `Type “${deletePhrase}”`,
    youHaveNoRunning: 'You have no running subscription. ITO that you have paid is not returned.',
    yourSubscriptionPaid: ({ endTime, zone }: { endTime: ReactNode; zone: ReactNode }) => (
      <>
        Your subscription, paid until {endTime} {zone}, ends now. ITO that you have paid is not returned.
      </>
    ),
  },
  emailDialog: {
    checkYourEmail: 'Check your email',
    emailCouldNotBeChanged: 'The email could not be changed. Please try again.',
    addAnEmail: 'Add an email',
    changeEmail: 'Change email',
    weEmailALink: 'We email a link to it. It counts once you open that link.',
    weEmailALinkTo:
      'We email a link to the new address and tell the current one. Until the link is opened, the current one counts.',
    sendLink: 'Send link',
    sending: 'Sending…',
    newEmail: 'New email',
    nowEmail: ({ email }: { email: string }) => `Now: ${email}`,
  },
  formDialog: {
    cancel: 'Cancel',
  },
  linkWalletDialog: {
    walletLinked: 'Wallet Linked',
    linkAWallet: 'Link a wallet',
    oneFreeSignatureShows: 'One free signature shows that it is yours. It can then sign in and pay for this account.',
    signingMovesNothing: 'Signing moves nothing and costs nothing.',
  },
  nameDialog: {
    nameChanged: 'Name Changed',
    nameCouldNotBeChanged: 'The name could not be changed. Please try again.',
    changeName: 'Change name',
    administratorsSeeItOther: 'Administrators see it; other users do not.',
    save: 'Save',
    saving: 'Saving…',
    name: 'Name',
  },
  notificationsSection: {
    notificationPreferences: 'Notification preferences',
    keptWithYourAccount: 'Kept with your account, for all your devices.',
    yourNotification: 'your notification preferences',
    realTimeAlerts: 'Real-time alerts',
    alertsAppearByThemselves:
      'Alerts appear by themselves and are announced. Off: pages show what was there when they were loaded or refreshed, and nothing is announced.',
    autoVerifySignatures: 'Auto-verify signatures',
    thisBrowserChecks:
      'This browser checks the content, signature and path of each alert that comes in. One that fails is marked “Proof failed” and never announced as an alert.',
    highPriorityOnly: 'High priority only',
    announcesHighAndCritical: 'Announces high and critical alerts alone. Lists stay complete.',
    keyboardShortcuts: 'Keyboard shortcuts',
    singleKeysSuchAsP: 'Single keys, such as p to pause. They rest while you type.',
    showKeys: 'Show keys',
  },
  ownDataSection: {
    yourData: 'Your data',
    downloadMyData: 'Download my data',
    allThatWeHoldAbout: 'All that we hold about your account, as one JSON file.',
    deleteMyAccount: 'Delete my account',
    endsYourSubscription: 'Ends your subscription and all sessions. It can’t be undone.',
    delete: 'Delete…',
    yourDataCould: 'Your data could not be read. Please try again.',
    collecting: 'Collecting…',
    download: 'Download',
  },
  passwordDialog: {
    passwordChanged: 'Password Changed',
    passwordSet: 'Password Set',
    passwordCouldNotBeChanged: 'The password could not be changed. Please try again.',
    changePassword: 'Change password',
    setAPassword: 'Set a password',
    itSignsYouOutEverywhere: 'It signs you out everywhere but here, and we email you that it happened.',
    setPassword: 'Set password',
    saving: 'Saving…',
    currentPassword: 'Current password',
    newPassword: 'New password',
    confirmNewPassword: 'Confirm new password',
  },
  passwordRules: {
    atLeastCharacters: ({ minLength }: { minLength: number }) => `At least ${minLength} characters`,
    typedTwiceTheSame: 'Typed twice the same',
    notOneThatManyPeople: 'Not one that many people use',
    met: ' (met)',
    notMetYet: ' (not met yet)',
  },
  readState: {
    serverDidNotAnswer: 'The server did not answer.',
    tryAgain: 'Try again',
    loadingWhat: ({ what }: { what: string }) => `Loading ${what}`,
  },
  securitySection: {
    security: 'Security',
    waysToSignIn: 'Ways to sign in',
    yourWaysToSignIn: 'your ways to sign in',
    password: 'Password',
    noneVerifyAnEmailAddress: 'None. Verify an email address first: you log in with both.',
    setYouLog: 'Set. You log in with it and your email.',
    noneSet: 'None set.',
    changePassword: 'Change password',
    setAPassword: 'Set a password',
    change: 'Change',
    set: 'Set',
    nameUnlinked: ({ name }: { name: string }) => `${name} Unlinked`,
    nameCouldNotBeUnlinked: ({ name }: { name: string }) => `${name} could not be unlinked. Please try again.`,
    emailLinkedSinceLinked: ({
      email,
      linkedAt,
      zone,
    }: {
      email: string | null
      linkedAt: ReactNode
      zone: ReactNode
    }) => (
      <>
        {email ?? 'Linked'}, since {linkedAt} {zone}
      </>
    ),
    unlinkName: ({ name }: { name: string }) => `Unlink ${name}`,
    unlinking: 'Unlinking…',
    unlink: 'Unlink',
    notConfiguredByTheOperator: 'Not configured by the operator.',
    notLinked: 'Not linked.',
    nameCouldNotBeLinked: ({ name }: { name: string }) => `${name} could not be linked. Please try again.`,
    linkingName: ({ name }: { name: string }) => `Linking ${name}…`,
    linkName: ({ name }: { name: string }) => `Link ${name}`,
    oneWalletCanSignIn: 'One wallet can sign in',
    countWalletsCanSignIn: ({ count }: { count: number }) => `${count} wallets can sign in`,
    wallets: 'Wallets',
    noneLinked: 'None linked.',
    countLinkAndUnlinkThem: ({ count }: { count: string }) => `${count}. Link and unlink them under Wallet.`,
  },
  sessionsSection: {
    sessionsEnded: 'Sessions Ended',
    sessionsCouldNotBeEnded: 'The sessions could not be ended. Please try again.',
    sessions: 'Sessions',
    ending: 'Ending…',
    endAllOthers: 'End all others',
    one: 'If you do not know one, end it, then change your password.',
    yourSessions: 'your sessions',
    thisDevice: 'This device',
    startedCreatedAtZone: ({
      createdAt,
      zone,
      isCurrent,
      lastSeenAt,
      remembered,
    }: {
      createdAt: ReactNode
      zone: ReactNode
      isCurrent: boolean
      lastSeenAt: ReactNode
      remembered: boolean
    }) => (
      <>
        Started {createdAt} {zone}. {isCurrent ? 'In use now' : lastSeenAt}.{remembered ? ' Remembered.' : ''}
      </>
    ),
    lastSeenAt: ({ at }: { at: ReactNode }) => <>Last seen: {at}</>,
    sessionEnded: 'Session Ended',
    sessionCouldNotBeEnded: 'The session could not be ended. Please try again.',
    endTheSessionOfDevice: ({ device }: { device: string }) => `End the session of ${device}`,
    end: 'End',
    loggingOut: 'Logging out…',
    logOut: 'Log out',
  },
  settingsPage: {
    settings: 'Settings',
    yourAccountThisBrowser: 'Your account, this browser, and the service you are connected to.',
  },
  soundRow: {
    sound: 'Sound',
    oneToneInThreeSeconds: 'One tone in three seconds at most, for what comes in live.',
    offTurn: 'Off. Turn it on to hear alerts; three tones tell their priorities apart.',
    heardFrom: 'Heard from',
    unmuteThisBrowser: 'Unmute this browser',
    test: 'Test',
    volume: 'Volume',
  },
  systemSection: {
    systemInformation: 'System information',
    demo: 'Demo',
    serverDidNotAnswer: 'The server did not answer everything.',
    tryAgain: 'Try again',
    loadingSystemInformation: 'Loading system information',
    version: 'Version',
    paymentChain: 'Payment chain',
    tokenSymbol: ({ symbol }: { symbol: string }) => `Token ${symbol}`,
    treasury: 'Treasury',
    alertSigner: 'Alert signer',
    anchorChain: 'Anchor chain',
    anchorContract: 'Anchor contract',
    off: 'Off',
    connecting: 'Connecting',
    connected: 'Connected',
    notAnswering: 'Not answering',
    reconnecting: 'Reconnecting',
    failed: 'Failed',
    current: 'Current',
    delayed: 'Delayed',
    stopped: 'Stopped',
    live: 'Live',
    offline: 'Offline',
    runningSince: 'Running since',
    signalFeed: 'Signal feed',
    signalsReceived: 'Signals received',
    lastSignal: 'Last signal',
    noneYet: 'none yet',
    thisPagesStream: 'This page’s stream',
    notOpen: 'Not open',
    lastMessage: ({ lastMessageAt }: { lastMessageAt: ReactNode }) => <>, last message {lastMessageAt}</>,
    liveConnections: 'Live connections',
    anchoring: 'Anchoring',
    lastAnchor: 'Last anchor',
  },
  useAccountChange: {
    nothingWasChanged: 'Nothing was changed',
    error: 'Error',
  },
  walletSection: {
    wallet: 'Wallet',
    linkAWallet: 'Link a wallet',
    linkedWalletCanSign:
      'A linked wallet can sign in here. Prove it in this session to pay with it and to get its alerts live.',
    yourWallets: 'your wallets',
    noWalletLinked: 'No wallet linked',
    linkOneWithAFree: 'Link one with a free signature; it is then listed here, and you can sign in with it.',
    walletUnlinked: 'Wallet Unlinked',
    walletCouldNotBeUnlinked: 'The wallet could not be unlinked. Please try again.',
    linkedLinkedAtZone: ({ linkedAt, zone }: { linkedAt: ReactNode; zone: ReactNode }) => (
      <>
        Linked {linkedAt} {zone}
      </>
    ),
    provedInThisSession: 'Proved in this session',
    notProvedInThisSession: 'Not proved in this session',
    unlinkAddress: ({ address }: { address: string }) => `Unlink ${address}`,
    unlinking: 'Unlinking…',
    unlink: 'Unlink',
  },
  waysIn: {
    yourOnlyWayToSign: 'Your only way to sign in: add another before you unlink it.',
  },
}

export const settingsTexts = inLanguage({ en })
