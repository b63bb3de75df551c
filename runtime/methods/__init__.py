"""The part of `Tensor` that is no op: conversion, indexing, printing, questions."""
