'use strict';
// Each function fails in its own way; the line that a case is about bears its name.

const assert = require('node:assert');

const PREFIX = 'shop: ';

class SoldOut extends Error {
  constructor(item, left = 0) {
    super(`${item} is sold out, ${left} left`);
    this.name = 'SoldOut';
  }
}

function price(item) {
  if (typeof item !== 'string') {
    throw new TypeError(`price() takes a name, not ${typeof item}`); // case: wrong type
  }
  if (item.length > 20) throw new RangeError('The name of ' + item + ' is too long'); // case: too long
  throw new Error(PREFIX + 'nobody knows the price of ' + item); // case: constant prefix
}

const orders = {
  place(item) {
    throw new SoldOut(item); // case: class of its own
  },
  cancel: (id) => {
    const message = id > 9 ? 'the order was delivered' : 'the order was never placed';
    throw new Error(message); // case: conditional message
  },
};

function pay(amount) {
  return new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error(`the bank refused ${amount} euros`)), 1); // case: rejected promise
  });
}

function read(text) {
  try {
    JSON.parse(text);
  } catch (cause) {
    throw new Error('the basket cannot be read', { cause }); // case: with a cause
  }
}

function check(basket) {
  assert(basket.length > 0, 'the basket must not be empty'); // case: assertion
}

function leave(code) {
  console.error('shop closes early: code %d', code); // case: printed on exit
  process.exit(3);
}

function coded() {
  throw Object.assign(new Error('the shelf is locked by another clerk'), { code: 'ELOCKED' }); // case: with a code
}

class Till {
  #open = false;
  get drawer() {
    if (!this.#open) throw new Error('the drawer is shut, open the till first'); // case: getter
    return [];
  }
}

const CASES = {
  'wrong type': () => price(3),
  'too long': () => price('a very long name of a thing'),
  'constant prefix': () => price('soap'),
  'class of its own': () => orders.place('tea'),
  'conditional message': () => orders.cancel(12),
  'rejected promise': () => pay(5),
  'with a cause': () => read('{'),
  assertion: () => check([]),
  'printed on exit': () => leave(7),
  'with a code': () => coded(),
  getter: () => new Till().drawer,
  // What follows fails in the code of Node.js itself.
  'node: argument type': () => require('node:path').join(3),
  'node: buffer size': () => Buffer.alloc(-1),
  'node: invalid url': () => new URL('no url at all'),
  'node: unknown encoding': () => Buffer.from('a', 'nope'),
  'node: write after end': () => {
    const { PassThrough } = require('node:stream');
    const stream = new PassThrough();
    stream.end();
    stream.write('x');
  },
  'node: listener type': () => process.on('exit', 'nothing'),
  'node: unhandled error event': () => {
    const { EventEmitter } = require('node:events');
    new EventEmitter().emit('error', 42);
  },
  'node: missing module': () => require('./there-is-no-such-file'),
  'node: range of a port': () => require('node:net').connect(70000),
  'node: callback type': () => require('node:fs').readFile('x', 'utf8'),
  'node: header sent': () => require('node:http').validateHeaderName('a b'),
};

CASES[process.argv[2]]();
