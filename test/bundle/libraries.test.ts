import { test } from 'tap';
import {
  type Binary,
  highest,
  isElf,
  parseHeader,
  readBinary,
  requireComplete,
} from '../../bundle/libraries.js';

const HEADER = `
addon.node:     file format elf64-x86-64

Dynamic Section:
  NEEDED               libllama.so
  NEEDED               libc.so.6
  SONAME               addon.so.1
  RUNPATH              $ORIGIN/../lib

Version References:
  required from libc.so.6:
    0x069691b2 0x00 18 GLIBC_2.9
    0x06969194 0x00 14 GLIBC_2.14
    0x09691a75 0x00 05 GLIBC_2.2.5
    0x0fd0e42e 0x00 02 GLIBC_ABI_DT_RELR
  required from libstdc++.so.6:
    0x0297f879 0x00 12 GLIBCXX_3.4.29
`;

test('what a binary needs is read from its header', async (t) => {
  t.strictSame(parseHeader(HEADER, 'addon.node'), {
    needs: ['libllama.so', 'libc.so.6'],
    name: 'addon.so.1',
    glibc: '2.14',
  });
  const own = 'Version definitions:\n1 0x00 0x0 GLIBC_2.99\n\nDynamic Section:\n  NEEDED   libc.so.6\n';
  t.strictSame(parseHeader(own, 'a.node'), { needs: ['libc.so.6'], name: 'a.node', glibc: null });
  if (process.platform !== 'linux') return t.comment('SKIPPED: objdump reads ELF on Linux');
  const node = readBinary(process.execPath, 'bin/node');
  t.ok(node.needs.includes('libc.so.6'));
  t.match(node.glibc, /^2\.\d+$/);
});

test('versions of glibc are compared by their numbers', async (t) => {
  t.equal(highest(['2.9', '2.34', '2.4']), '2.34');
  t.equal(highest([]), null);
});

test('a file is a binary if it begins as one', async (t) => {
  t.equal(isElf(Buffer.from('\x7fELF\x02')), true);
  t.equal(isElf(Buffer.from('\x7fEL')), false);
  t.equal(isElf(Buffer.from('#!/bin/sh')), false);
});

test('a library that no part of the bundle and no host has is named', async (t) => {
  const binary = (path: string, needs: string[], name = path): Binary => ({ path, needs, name, glibc: null });
  requireComplete([
    binary('a.node', ['libb.so', 'libc.so.6', 'libm.so.6', 'libdl.so.2', 'ld-linux-x86-64.so.2']),
    binary('lib/libb.so.1', ['libpthread.so.0'], 'libb.so'),
    binary('libggml-cuda.so', ['libcuda.so.1', 'libcudart.so.13', 'libcublas.so.12']),
    binary('libggml-vulkan.so', ['libvulkan.so.1']),
  ]);
  t.throws(() => requireComplete([binary('a.node', ['libnode.so.108'])]), {
    message:
      /^a\.node needs libnode\.so\.108\. The bundle does not have it\. If that is Node\.js, use one of /,
  });
});
