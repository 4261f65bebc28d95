import { expect, test } from 'bun:test'
import { addressIn, networkOf } from '../../src/lib/network-address.ts'

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['203.0.113.7:4711', '203.0.113.7'],
  ['2001:db8::1', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['[2001:db8::1]:4711', '2001:db8::1'],
  ['', null],
  ['unknown', null],
  ['203.0.113', null],
  ['203.0.113.256', null],
  ['_hidden', null],
  ['203.0.113.7, 10.0.0.1', null],
  ['[2001:db8::1', null],
])('the address in %p is %p', (text, address) => {
  expect(addressIn(text)).toBe(address)
})

test.each([
  ['203.0.113.7', '203.0.113.0/24', '203.0.113.7/32'],
  ['::ffff:203.0.113.7', '203.0.113.0/24', '203.0.113.7/32'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::6', '2001:db8:1::/48', '2001:db8:1:2::/64'],
  ['2001:db8::6', '2001:db8:0::/48', '2001:db8:0:0::/64'],
  ['2001::3:4:5:6:7:8', '2001:0:3::/48', '2001:0:3:4::/64'],
  ['::1', '0:0:0::/48', '0:0:0:0::/64'],
  ['::', '0:0:0::/48', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0::/48', 'fe80:0:0:0::/64'],
  ['nonsense', null, null],
  ['a:b', null, null],
])('%p is of the networks %p and %p', (address, truncated, holder) => {
  expect(networkOf(address, { v4: 24, v6: 48 })).toBe(truncated)
  expect(networkOf(address, { v4: 32, v6: 64 })).toBe(holder)
})
