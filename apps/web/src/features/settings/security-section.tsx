import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useAuth, useUser } from '../../auth.tsx'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { KeyValue, KeyValueList } from '../../ui/key-value.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Time } from '../../ui/time.tsx'

export function SecuritySection() {
  const { email, name, isAdmin, createdAt } = useUser()
  return (
    <Panel title="Security" footer={<SignOutButton />}>
      <KeyValueList>
        <KeyValue label="Name" plain>
          {name}
        </KeyValue>
        <KeyValue label="Email" plain>
          {email ?? 'None: you sign in with your wallet'}
        </KeyValue>
        <KeyValue label="Account type" plain>
          {isAdmin ? 'Administrator' : 'Regular User'}
        </KeyValue>
        <KeyValue label="Created UTC">
          <Time at={createdAt} show="date" />
        </KeyValue>
      </KeyValueList>
    </Panel>
  )
}

function SignOutButton() {
  const { signOut } = useAuth()
  const navigate = useNavigate()
  const [leaving, setLeaving] = useState(false)

  async function leave() {
    setLeaving(true)
    await navigate({ to: paths.home })
    await signOut()
  }

  return (
    <>
      <span className="mr-auto">Ends the session of this browser.</span>
      <Button busy={leaving} onClick={leave}>
        {leaving ? 'Logging out…' : 'Log out'}
      </Button>
    </>
  )
}
